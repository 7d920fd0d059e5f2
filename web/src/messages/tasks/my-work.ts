import { defineMessages } from '../define-messages.ts'

/** Texts of the My work page. */
export const myWorkMessages = defineMessages('my', {
  title: 'My work',
  tabs: { mine: 'Today', created: 'Created by me', blocked: 'Blocked', done: 'Done' },
  sections: {
    overdue: 'Overdue',
    today: 'Today',
    soon: 'Next 7 days',
    later: 'Later',
    none: 'No due date',
  },
  toggle: (status: string, id: string) => `${status}. Complete or reopen ${id}`,
  select: (id: string) => `Select ${id}`,
  completed: (id: string) => `Completed ${id}`,
  reopened: (id: string) => `Reopened ${id}`,
  toToday: 'Move all to today',
  movedToToday: (what: string) => `Moved ${what} to today`,
  todayLoad: (time: string, overdue: string) =>
    overdue ? `${time} left, ${overdue} of it overdue` : `${time} left`,
  todayLoadHint: 'Remaining estimates of today’s and overdue tasks',
  placed: (id: string, place: number, count: number) => `${id}, position ${place} of ${count}`,
  emptyToday: 'Nothing is due today. Drag tasks here to plan your day, or set their due date.',
  load: 'Remaining estimates by due date',
  empty: {
    mine: 'No tasks assigned to you.',
    created: 'No open tasks created by you.',
    blocked: 'None of your tasks are blocked.',
    done: 'No tasks completed in the last 30 days.',
  },
  noProject: 'Tasks belong to a project. Create one to begin.',
  invite: 'Invite people',
  emptyAction: 'Search tasks',
  more: 'Show more',
  toFirst: 'First task',
  toLast: 'Last task',
  views: 'View',
  selectEvery: 'Select all in this view',
  severalProjects: 'Statuses and tags belong to a project. Select tasks of one project only.',
})
