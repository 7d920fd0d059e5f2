import { say } from './say.ts'

/** Texts of my work. */
export const m = say('my', {
  title: 'My work',
  tabs: { mine: 'Assigned', created: 'Created', blocked: 'Blocked', done: 'Done' },
  sections: {
    overdue: 'Overdue',
    today: 'Today',
    soon: 'Next 7 days',
    later: 'Later',
    none: 'Without a date',
  },
  toggle: (status: string, id: string) => `${status}. Complete or reopen ${id}`,
  select: (id: string) => `Select ${id}`,
  completed: (id: string) => `Completed ${id}`,
  reopened: (id: string) => `Reopened ${id}`,
  blocked: 'Blocked by another task',
  load: 'What is left of the estimates, by due day',
  empty: {
    mine: 'Nothing is assigned to you.',
    created: 'You have created no open task.',
    blocked: 'Nothing of yours is blocked.',
    done: 'You have finished nothing in the last 30 days.',
  },
  emptyAction: 'Find a task',
  more: 'Show more',
  views: 'Views',
})
