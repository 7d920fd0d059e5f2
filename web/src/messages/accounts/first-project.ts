import { defineMessages } from '../define-messages.ts'

/** The first project of a new workspace: a checklist of things to try, with their keys. */
export const firstProjectChecklist = defineMessages('firstProject', {
  name: 'Getting started',
  description: 'A few things to try first. Complete a task by clicking its circle.',
  tasks: [
    {
      title: 'Complete this task',
      description: 'Click the circle before its title, or press `Mod+Enter` in the open task.',
    },
    {
      title: 'Create your own task',
      description: 'Press `C` and type, for example, `Call Mei tomorrow !high #phone`.',
    },
    {
      title: 'Find anything with Mod+K',
      description: 'Search tasks, projects and people, or run any command.',
    },
    {
      title: 'View your tasks as a board',
      description: 'Press `2` for the board and `1` for the list.',
    },
    {
      title: 'Create your first project',
      description: 'Projects → New project. Task IDs start with its prefix.',
    },
    {
      title: 'Invite a colleague',
      description: 'Settings → Members → Invite. Send the link any way you like.',
    },
    {
      title: 'Call the API',
      description: 'Settings → Integrations → New API key. You get a `curl` command to try it.',
    },
    {
      title: 'Receive events by webhook',
      description: 'Settings → Integrations → Webhooks. The log shows every delivery.',
    },
  ],
})
