import type { OpenApiDocument } from '../openapi/openapi-types.ts'
import { listOperations, type OperationCall } from '../openapi/operations.ts'

/**
 * The operations in the order of the page. Its samples are pasted one after another, so what
 * creates a record comes before what needs it, and what deletes it comes last.
 */
export const OPERATION_ORDER: readonly string[] = [
  'getMe',
  'listMembers',
  'listProjects',
  'getProject',
  'listProjectTags',
  'createTag',
  'getTag',
  'updateTag',
  'deleteTag',
  'listProjectTasks',
  'listTasks',
  'createTask',
  'getTask',
  'updateTask',
  'completeTask',
  'deleteTask',
  'restoreTask',
  'bulkTasks',
  'listTaskComments',
  'createComment',
  'getComment',
  'updateComment',
  'deleteComment',
  'listTaskTimeEntries',
  'createTimeEntry',
  'getTimeEntry',
  'updateTimeEntry',
  'deleteTimeEntry',
  'listTaskAttachments',
  'uploadAttachment',
  'getAttachment',
  'downloadAttachment',
  'deleteAttachment',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'listWebhookDeliveries',
  'getDelivery',
  'redeliver',
  'replayEvents',
  'deleteWebhook',
  'listEvents',
  'getEventPosition',
  'listChanges',
]

/** Tags that share the section of another one: deliveries end with their webhook. */
const SECTION_OF_TAG: Readonly<Record<string, string>> = { Deliveries: 'Webhooks' }

/** A section of the page, with the tags that it shows. */
export interface PageGroup {
  readonly title: string
  readonly tags: readonly string[]
  readonly calls: readonly OperationCall[]
}

/** Groups the operations into the sections of the page. Those without a place come last. */
export function groupOperations(openapi: OpenApiDocument): PageGroup[] {
  const calls = listOperations(openapi)
    .map((call, at) => ({ call, place: placeOf(call), at }))
    .sort((a, b) => a.place - b.place || a.at - b.at)
    .map(({ call }) => call)
  const groups = Map.groupBy(calls, (call) => SECTION_OF_TAG[tagOf(call)] ?? tagOf(call))
  return [...groups].map(([title, groupCalls]) => ({
    title,
    calls: groupCalls,
    tags: [...new Set(groupCalls.map(tagOf))],
  }))
}

function placeOf({ operation }: OperationCall): number {
  const place = OPERATION_ORDER.indexOf(operation.operationId)
  return place === -1 ? OPERATION_ORDER.length : place
}

const tagOf = ({ operation }: OperationCall): string => operation.tags[0] ?? ''
