import { say } from './say.ts'

/** The project that a new workspace begins with: a list of what to try, each step with its keys. */
export const checklist = say('firstProject', {
  name: 'First steps',
  description: 'What to try first. Complete a task by pressing its ring.',
  tasks: [
    {
      title: 'Complete this task',
      description: 'Press the ring before the title, or `Mod+Enter` in the open task.',
    },
    {
      title: 'Write a task of your own',
      description: '`C` opens a line at the top of the list; try `Call Mei tomorrow !high #phone`.',
    },
    {
      title: 'Find anything with Mod+K',
      description: 'Tasks by number or words, projects, people and every command.',
    },
    {
      title: 'See the same work as a board',
      description: '`2` shows the board, `1` the list.',
    },
    {
      title: 'Make a project for real work',
      description: 'Projects, New project. Its prefix becomes the name of its tasks.',
    },
    {
      title: 'Invite somebody',
      description: 'Settings, Members, Invite. The link can be sent by any way you like.',
    },
    {
      title: 'Ask the API',
      description: 'Settings, API access, New key. It comes with a ready `curl`.',
    },
    {
      title: 'Let a webhook tell you',
      description: 'Settings, Webhooks. Every delivery is in its log.',
    },
  ],
})
