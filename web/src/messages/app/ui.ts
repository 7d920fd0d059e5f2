import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of the shared UI components. */
export const uiMessages = defineMessages('ui', {
  /** As keyboards label them. */
  controlKey: 'Ctrl',
  shiftKey: 'Shift',
  menuKey: 'Menu',
  spaceKey: 'Space',
  homeKey: 'Home',
  endKey: 'End',
  priority: {
    none: 'No priority',
    low: 'Low priority',
    medium: 'Medium priority',
    high: 'High priority',
    urgent: 'Urgent',
  },
  morePeople: (n: number) => plural(n, { one: '# more person', other: '# more people' }),
  more: (n: number) => `+${n}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Your browser did not allow copying',
  copyRequest: 'Copy request ID',
  done: 'Done',
  loading: 'Loading',
  failed: 'Something went wrong.',
  retry: 'Try again',
  undo: 'Undo',
  redo: 'Redo',
  dismiss: 'Dismiss',
  close: 'Close',
  cancel: 'Cancel',
  find: 'Search',
  searching: 'Searching …',
  nothingFound: 'No results',
})
