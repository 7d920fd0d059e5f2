import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { Optional, SingleLineText, StrictObject } from '#wire/schema-builders.ts'
import { ToolError } from './call-endpoint.ts'
import { readTaskText } from './task-text.ts'
import type { ToolContext } from './tool.ts'
import { fence, takePart } from './tool-reply.ts'
import { toInputSchema } from './tool-schemas.ts'

/** Lets clients read a task as `docket://task/ENG-42`. */
export function addTaskResource(mcp: McpServer, createContext: () => ToolContext): void {
  mcp.registerResource(
    'task',
    new ResourceTemplate('docket://task/{id}', { list: undefined }),
    { title: 'Task', description: 'A task by its short id.', mimeType: 'text/plain' },
    async (uri, { id }) => {
      const { task, text } = await readTaskText(createContext(), String(id)).catch(
        (error: unknown) => {
          const isMissing = error instanceof ToolError && error.code === 'not_found'
          throw isMissing ? new ResourceNotFoundError(uri.href) : error
        },
      )
      const { part, words } = takePart(text, task.short_id, undefined)
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: words + fence(part) }] }
    },
  )
}

const Text = (description: string) => Optional(SingleLineText(1, 254, { description }))
const STANDUP = StrictObject({
  person: Text('Whose stand-up it is. Default: yours.'),
  project: Text('Only of this project.'),
})
const TRIAGE = StrictObject({ project: Text('The project. Default: all that you see.') })

/** Adds the prompts that people choose in their client. They name tools, and hold no data. */
export function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt(
    'standup',
    {
      title: 'Stand-up',
      description: 'What a person has done, is doing, and is held up by.',
      argsSchema: toInputSchema(STANDUP),
    },
    (args) => {
      const { person = 'me', project } = readTexts(args)
      const of = project === undefined ? '' : `, project_id ${JSON.stringify([project])}`
      const who = `assignee_id ${JSON.stringify([person])}${of}`
      return promptOf(
        `Write a stand-up report with Docket. Call list_tasks with ${who} three times: ` +
          'with completed_after the last working day at midnight; with status_category ["started"]; ' +
          'and with status_category ["unstarted"] and due_before the day after tomorrow. ' +
          'Call get_task for started tasks that are blocked or overdue. ' +
          'Then write three short lists: done, in progress, and held up, each task with its short id. Change nothing.',
      )
    },
  )
  mcp.registerPrompt(
    'triage',
    {
      title: 'Triage',
      description: 'Goes through tasks that nobody has planned yet, and proposes what to do.',
      argsSchema: toInputSchema(TRIAGE),
    },
    (args) => {
      const { project } = readTexts(args)
      const of = project === undefined ? '' : ` and project_id ${JSON.stringify([project])}`
      return promptOf(
        `Triage the backlog in Docket. Call list_tasks with status_category ["backlog"]${of}, and again with ` +
          'assignee_id ["none"] and status_category ["unstarted"]. For each task propose a priority, an assignee, tags and a due date, ' +
          'and name duplicates that search finds. Show the proposal as a table, try it with preview of update_tasks, ' +
          'and call update_tasks only for what I approve.',
      )
    },
  )
}

function readTexts(args: unknown): { person?: string; project?: string } {
  const { person, project, ...others }: Record<string, unknown> = Object(args)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new ToolError('validation_failed', `${unknown}: this prompt has no such argument`)
  return {
    ...(typeof person === 'string' && { person }),
    ...(typeof project === 'string' && { project }),
  }
}

const promptOf = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
})
