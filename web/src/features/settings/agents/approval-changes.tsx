import { Link } from '@tanstack/react-router'
import type { OperationChange } from '#wire/operation-record.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { ActivityPhrases, describeChanges, useProjectNameLookup } from '../../task-detail/index.ts'
import { SectionHeader } from '../settings-header.tsx'

interface ApprovalChangesProps {
  title: string
  changes: readonly OperationChange[]
  /** What the person has seen before, if the request would do something else by now. */
  before: readonly OperationChange[] | undefined
  /** How many records the request changes in all. */
  total: number
}

/** What a request would do, record by record and field by field, and how that differs from before. */
export function ApprovalChanges({ title, changes, before, total }: ApprovalChangesProps) {
  const differs = (change: OperationChange) =>
    before !== undefined && !before.some((one) => isSameChange(one, change))
  const gone = before?.filter((one) => !changes.some((now) => isSameRecord(one, now))) ?? []
  return (
    <section aria-label={title}>
      <SectionHeader title={title} count={total} />
      {total === 0 && (
        <div className="line set-note">
          <span className="gut" />
          <p className="quiet">{agentMessages.noChanges}</p>
        </div>
      )}
      <ul className="ruled">
        {changes.map((change) => (
          <ChangeItem
            key={JSON.stringify(change)}
            change={change}
            {...(differs(change) && { mark: agentMessages.nowDifferent })}
          />
        ))}
        {gone.map((change) => (
          <ChangeItem key={JSON.stringify(change)} change={change} mark={agentMessages.noLonger} />
        ))}
        {total > changes.length && (
          <li className="line more-line">
            <span className="gut" />
            <p className="quiet">{agentMessages.unshown(total - changes.length)}</p>
          </li>
        )}
      </ul>
    </section>
  )
}

/** A record that would be created has another id each time it is tried. */
const isSameRecord = (one: OperationChange, other: OperationChange): boolean =>
  one.event_type === other.event_type &&
  (one.event_type.endsWith('.created')
    ? one.name === other.name
    : one.record_id === other.record_id)

/** Times differ each time a request is tried. */
const isSameChange = (one: OperationChange, other: OperationChange): boolean =>
  isSameRecord(one, other) && one.name === other.name && toText(one) === toText(other)

const toText = ({ changes }: OperationChange): string =>
  JSON.stringify(changes, (key, value: unknown) => (key.endsWith('_at') ? null : value))

function ChangeItem({ change, mark }: { change: OperationChange; mark?: string }) {
  const { event_type, record_id, project_id, name, changes } = change
  const { projects, session } = useBoot('projects', 'session')
  const project = projects.find(({ id }) => id === project_id)
  const names = useProjectNameLookup(project?.id, project)
  const phrases = describeChanges(changes, names)
  const shortId = getCachedTask(record_id)?.short_id
  return (
    <li className="line entry more-line">
      <span className="gut">{project?.prefix}</span>
      <div>
        <p>
          {mark && <strong className="bad">{mark} </strong>}
          {webhookMessages.eventWords[event_type] ?? event_type}:{' '}
          {shortId !== undefined && (
            <Link
              className="no"
              to="/w/$workspaceId/t/$shortId"
              params={{ workspaceId: session.workspace.id, shortId }}
              search={{}}
            >
              <ShortId id={shortId} />
            </Link>
          )}{' '}
          <strong>{name}</strong>
        </p>
        {phrases.length > 0 && (
          <p>
            <ActivityPhrases phrases={phrases} />
          </p>
        )}
      </div>
    </li>
  )
}
