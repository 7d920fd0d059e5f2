import { defineMessages } from '../define-messages.ts'

/** The checklist for people who are new. */
export const firstStepsMessages = defineMessages('firstSteps', {
  title: 'Getting started',
  steps: {
    task: ['Create a task', 'In one line, such as “Call Mei tomorrow !high #phone”'],
    find: ['Find anything', 'Tasks, projects, people and every command'],
    keys: ['Learn the shortcuts', 'Those of the screen that you are on'],
    profile: ['Set up your profile', 'Time zone, notifications and devices'],
    invite: ['Invite colleagues', 'By email or with a link'],
    import: ['Import tasks', 'From a spreadsheet or another tool'],
    api: ['Call the API', 'With a key and a curl command to try it'],
  },
  done: 'done',
  dismiss: 'Dismiss',
})
