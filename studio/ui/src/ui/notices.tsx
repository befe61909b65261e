// What the page has to say: lost connection, running jobs, messages.
import * as store from '../model/store';
import { session } from '../session';
import { Icon } from './icons';

export function ConnectionBanner() {
  if (store.status.value === 'open' || (store.status.value === 'connecting' && store.documentState.value === null)) return null;
  return (
    <div class="banner" role="alert" data-testid="connection-banner">
      <span class="spinner" aria-hidden="true" />
      <span>The connection to the studio was lost. Trying again by itself; your work is kept.</span>
      <button type="button" class="button" data-testid="connection-retry" aria-label="Connect now" onClick={() => session.retryNow()}>
        Connect now
      </button>
    </div>
  );
}

export function Jobs() {
  const jobs = [...store.jobs.value.values()];
  if (jobs.length === 0) return null;
  return (
    <div class="jobs" data-testid="jobs">
      {jobs.map((job) => (
        <div class="job" key={job.job}>
          <span class="what">{job.what}</span>
          <progress
            aria-label={job.what}
            data-testid={`job-${job.job}`}
            max={1}
            {...(job.fraction === null ? {} : { value: job.fraction })}
          />
          <span class="left">{job.seconds_left !== null && job.seconds_left > 1 ? `${Math.ceil(job.seconds_left)} s left` : ''}</span>
          <button
            type="button"
            class="mini"
            aria-label={`Cancel: ${job.what}`}
            title="Cancel"
            data-testid={`job-${job.job}-cancel`}
            onClick={() => void session.command('cancel', { job: job.job })}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

export function Toasts() {
  return (
    <div class="toasts" data-testid="toasts">
      {store.toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.level}`} role={toast.level === 'error' ? 'alert' : 'status'} data-testid={`toast-${toast.level}`}>
          <div>
            <p>{toast.text}</p>
            {toast.remedy && <p class="remedy">{toast.remedy}</p>}
          </div>
          <button type="button" class="mini" aria-label="Dismiss message" data-testid="toast-dismiss" onClick={() => store.removeToast(toast.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Shown until there is a body to see. */
export function Waiting() {
  if (store.hasPicture.value) return null;
  const isLoading = store.documentState.value?.mode === 'loading';
  return (
    <div class="waiting" role="status" data-testid="waiting">
      <span class="spinner" aria-hidden="true" />
      {isLoading ? 'The body is being made…' : 'Opening the body…'}
    </div>
  );
}
