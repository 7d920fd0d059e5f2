import { useQuery } from '@tanstack/react-query'
import type { copyTask, MadeTree } from '#resources/tasks/internal.ts'
import type {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  NamedTemplate,
  Template,
  updateTemplate,
  useTemplate,
} from '#resources/templates/internal.ts'
import { type Answered, answered, call, type Sent } from '../lib/call.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/templates.ts'
import { noteOwn } from './own.ts'
import { allPages } from './pages.ts'
import { removeLater } from './records.ts'
import { queries, refetchLists } from './refetch.ts'
import { putTasks } from './task-store.ts'

export type { NamedTemplate, Template }

/** The templates of a project, or of all that the person sees. */
export const useTemplates = (project_id?: string) =>
  useQuery({
    queryKey: ['templates', project_id ?? ''],
    queryFn: () =>
      allPages((page) =>
        call<typeof listTemplates>('GET /internal/templates', {
          query: { ...page, ...(project_id !== undefined && { project_id }) },
        }),
      ),
  })

/** A template with its tasks. */
export const readTemplate = (id: string): Promise<Template> =>
  call<typeof getTemplate>('GET /internal/templates/:id', { params: { id } })

/** Saves a task as a template. `key`: sent again with it, it is one template. */
export async function saveTemplate(
  body: Sent<typeof createTemplate>['body'],
  key: string,
): Promise<void> {
  const to = 'POST /internal/templates'
  await answered<typeof createTemplate>(to, { body }, { idempotencyKey: key })
  reread()
}

export async function changeTemplate(
  id: string,
  body: Sent<typeof updateTemplate>['body'],
): Promise<void> {
  await call<typeof updateTemplate>('PATCH /internal/templates/:id', { params: { id }, body })
  reread()
}

/** Makes the tasks of a template; gives the topmost, and how many there are. */
export const makeFromTemplate = (
  id: string,
  body: Sent<typeof useTemplate>['body'],
  key: string,
): Promise<MadeTree> =>
  taken(
    answered<typeof useTemplate>(
      'POST /internal/templates/:id/use',
      { params: { id }, body },
      { idempotencyKey: key },
    ),
  )

/** Copies a task; gives the copy, and how many tasks came with it. */
export const copyTree = (
  id: string,
  body: Sent<typeof copyTask>['body'],
  key: string,
): Promise<MadeTree> =>
  taken(
    answered<typeof copyTask>(
      'POST /internal/tasks/:id/copy',
      { params: { id }, body },
      { idempotencyKey: key },
    ),
  )

async function taken(reply: Promise<Answered<MadeTree>>): Promise<MadeTree> {
  const { body, operation_id } = await reply
  noteOwn(operation_id)
  putTasks([body.task])
  refetchLists()
  return body
}

/** Templates whose deletion can still be undone. */
export const hiddenTemplates = signal<ReadonlySet<string>>(new Set())

/** Deletes a template when its toast ends. */
export function removeTemplate({ id, name }: NamedTemplate): void {
  removeLater(m.removed(name), {
    ...{ id, hidden: hiddenTemplates },
    send: (options) =>
      call<typeof deleteTemplate>('DELETE /internal/templates/:id', { params: { id } }, options),
    gone: reread,
  })
}

const reread = () => void queries.invalidateQueries({ queryKey: ['templates'] })
