import { useQuery } from '@tanstack/react-query'
import type { CreatedTaskTree, copyTask } from '#resources/tasks/internal.ts'
import type {
  createTemplate,
  getTemplate,
  instantiateTemplate,
  listTemplates,
  Template,
  TemplateSummary,
  updateTemplate,
} from '#resources/templates/internal.ts'
import {
  type CallInput,
  type CallResult,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { templateMessages } from '../../messages/tasks/templates.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { queryClient, refetchLists } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import { deleteWithUndo } from '../mutations/record-mutations.ts'
import { toRevision } from '../mutations/record-revision.ts'
import { takeTaskReply } from '../tasks/task-replica.ts'

export type { Template, TemplateSummary }

/** The templates of a project, or of all projects that the person can see. */
export function useTemplates(project_id?: string) {
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', project_id ?? ''],
    queryFn: () =>
      fetchAllPages((page) =>
        requestEndpoint<typeof listTemplates>('GET /internal/templates', {
          query: { ...page, ...(project_id !== undefined && { project_id }) },
        }),
      ),
  })
  return { data: useWithPendingPatches(data), error, refetch }
}

/** A template with its tasks. */
export const fetchTemplate = (id: string): Promise<Template> =>
  requestEndpoint<typeof getTemplate>('GET /internal/templates/:id', { params: { id } })

/** Saves a task as a template. A retry with the same idempotency key creates it once. */
export async function saveTemplate(
  body: CallInput<typeof createTemplate>['body'],
  key: string,
): Promise<void> {
  const to = 'POST /internal/templates'
  await requestEndpointForResult<typeof createTemplate>(to, { body }, { idempotencyKey: key })
  refetchTemplates()
}

/** Changes a template, unless somebody else has changed it since `base` was read. */
export async function saveTemplateChanges(
  base: Template,
  body: CallInput<typeof updateTemplate>['body'],
): Promise<void> {
  await requestEndpoint<typeof updateTemplate>(
    'PATCH /internal/templates/:id',
    { params: { id: base.id }, body },
    { ifMatch: toRevision(base) },
  )
  refetchTemplates()
}

/** Creates the tasks of a template; returns the root task and the number of tasks. */
export const createFromTemplate = (
  id: string,
  body: CallInput<typeof instantiateTemplate>['body'],
  key: string,
): Promise<CreatedTaskTree> =>
  storeCreatedTree(
    requestEndpointForResult<typeof instantiateTemplate>(
      'POST /internal/templates/:id/use',
      { params: { id }, body },
      { idempotencyKey: key },
    ),
  )

/** Copies a task with its subtasks; returns the copy and the number of tasks. */
export const copyTaskTree = (
  id: string,
  body: CallInput<typeof copyTask>['body'],
  key: string,
): Promise<CreatedTaskTree> =>
  storeCreatedTree(
    requestEndpointForResult<typeof copyTask>(
      'POST /internal/tasks/:id/copy',
      { params: { id }, body },
      { idempotencyKey: key },
    ),
  )

async function storeCreatedTree(
  reply: Promise<CallResult<CreatedTaskTree>>,
): Promise<CreatedTaskTree> {
  const { body, operation_id, changeNumber } = await reply
  recordOwnOperation(operation_id)
  await takeTaskReply({ task: body.task, changeNumber })
  refetchLists()
  return body
}

/** Hides a template and deletes it when its toast ends; until then it can be undone. */
export const deleteTemplateWithUndo = ({ id, name }: TemplateSummary): void =>
  deleteWithUndo(templateMessages.removed(name), 'template', id)

const refetchTemplates = () => void queryClient.invalidateQueries({ queryKey: ['templates'] })
