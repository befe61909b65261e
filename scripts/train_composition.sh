#!/usr/bin/env bash
# Makes the regressors of data/fit anew: 200 men and 200 women of a stored seed, their body mass indices spread evenly from 17 to 40, with known
# fat and muscle. Goes on where it stopped. PEOPLE=8 tries it on a few.
#   scripts/train_composition.sh [FOLDER]    (the people; out/people. A folder of an older template is not to be used again.)
set -euo pipefail
cd "$(dirname "$0")/.."
sinew=${SINEW:-build/release/sinew}
folder=${1:-out/people}
data=${DATA_FIT:-data/fit}
for sex in male female; do
    "$sinew" people --count "${PEOPLE:-200}" --sex "$sex" --seed 1 --even-bmi --muscles specimen --resolution preview -o "$folder/$sex"
    "$sinew" fit --train "$folder/$sex/people.csv" --sex "$sex" --resolution preview -o "$data/composition_$sex.json"
    # What they are: name, sex, age, whether they were made, and stature, weight and body fat asked for and made.
    cut -d, -f1-10 "$folder/$sex/people.csv" > "$data/people_$sex.csv"
done
