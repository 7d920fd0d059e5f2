import { defineMessages } from '../define-messages.ts'

/** Texts of the My work page. */
export const myWorkMessages = defineMessages('my', {
  tabs: { mine: 'Week', created: 'Created by me', blocked: 'Blocked', done: 'Done' },
  toToday: 'Move all to today',
  movedToToday: (what: string) => `Moved ${what} to today`,
  dayLoad: (left: string, hours: string) => `${left} left of ${hours}`,
  hoursPerDay: 'Hours per day',
  empty: {
    mine: 'No tasks assigned to you.',
    created: 'No open tasks created by you.',
    blocked: 'None of your tasks are blocked.',
    done: 'No tasks completed in the last 30 days.',
  },
  noProject: 'Tasks belong to a project. Create one to begin.',
  invite: 'Invite people',
})
