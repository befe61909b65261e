#include <cstdio>
int main() {
    std::puts("sinew");
}
