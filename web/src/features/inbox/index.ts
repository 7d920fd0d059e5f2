/** Notifications, and watching a task. */

export { Inbox } from './inbox.tsx'
export { WatchButton } from './watch-button.tsx'
