import { plural } from './plural.ts'

/** Words of the components that every screen uses. */
export const m = {
  priority: {
    none: 'No priority',
    low: 'Low priority',
    medium: 'Medium priority',
    high: 'High priority',
    urgent: 'Urgent',
  },
  morePeople: (n: number) => plural(n, { one: '# more person', other: '# more people' }),
  more: (n: number) => `+${n}`,
  nobody: 'Nobody',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser did not allow copying',
  copyRequest: 'Copy the id of the request',
  done: 'Done',
  leavingAsks: 'Leaving without copying asks first.',
  loading: 'Loading',
  failed: 'Something failed in the app.',
  retry: 'Try again',
  everywhere: 'Everywhere',
  undo: 'Undo',
  dismiss: 'Dismiss',
  messages: 'Messages',
}
