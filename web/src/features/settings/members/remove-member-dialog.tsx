import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { deleteMember } from '#resources/members/internal.ts'
import type { HandoverResult, handOver, MemberWork } from '#resources/offboarding/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { refetchLists } from '../../../data/cache/query-client.ts'
import { bootState } from '../../../data/session/boot.ts'
import { cacheMemberRemoval } from '../../../data/session/boot-records.ts'
import { signOutAndClear } from '../../../data/session/sign-out.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { confirmSignOutLoss } from '../../shell/index.ts'
import { memberWorkQuery } from './member-queries.ts'

/** Confirms the removal of a member, and asks who takes over their open tasks. */
export function openRemoveMemberDialog(member: Member, isMe: boolean): void {
  openDialog({
    title: isMe ? memberMessages.leaveTitle : memberMessages.removeTitle(member.name),
    body: (close) => <RemoveMemberForm member={member} isMe={isMe} onClose={close} />,
  })
}

interface RemoveMemberFormProps {
  member: Member
  isMe: boolean
  onClose: () => void
}

function RemoveMemberForm({ member, isMe, onClose }: RemoveMemberFormProps) {
  const { id, name } = member
  const [recipient, setRecipient] = useState('keep')
  const [processed, setProcessed] = useState<number>()
  const { data: work, error } = useQuery(memberWorkQuery(id))
  const workCount = work ? work.open_tasks + work.projects_led : 0
  const hints: Readonly<Record<string, string>> = memberMessages.tasksGoHints
  const others = bootState.get()?.members.filter((one) => one.id !== id) ?? []
  const send = async () => {
    // Who leaves is signed out at the end, when it is too late to keep what is not sent.
    if (isMe && !(await confirmSignOutLoss())) return
    const outcome =
      workCount === 0 || recipient === 'keep'
        ? undefined
        : await handOverAllWork(id, recipient, setProcessed)
    if (workCount > 0) refetchLists()
    await requestEndpoint<typeof deleteMember>('DELETE /internal/members/:id', { params: { id } })
    onClose()
    if (isMe) return signOutAndClear()
    cacheMemberRemoval(id)
    showToast({
      text: [memberMessages.removed(name), ...(outcome ? describeOutcome(outcome) : [])].join(', '),
    })
  }
  return (
    <Form label={memberMessages.removeTitle(name)} onSubmit={send}>
      <FormLine>
        <p>{memberMessages.removeWhy(name)}</p>
        <p aria-live="polite">
          {work ? describeWork(work, name) : !error && memberMessages.counting}
        </p>
        {error && <InlineError error={error} />}
      </FormLine>
      {workCount > 0 && (
        <SelectField
          label={memberMessages.tasksGo}
          name="tasks"
          value={recipient}
          hint={hints[recipient] ?? memberMessages.tasksGoHints.person}
          onChange={({ target }) => setRecipient(target.value)}
          options={[
            { value: 'keep', label: memberMessages.keep },
            { value: 'nobody', label: memberMessages.unassign },
            { value: 'leads', label: memberMessages.toLeads },
            ...others.map((one) => ({ value: one.id, label: memberMessages.reassign(one.name) })),
          ]}
        />
      )}
      <FormLine>
        <div className="acts">
          <SubmitButton kind="danger" reason={work || error ? undefined : memberMessages.counting}>
            {isMe ? memberMessages.leave : memberMessages.removeDo(name)}
          </SubmitButton>
          <Button kind="plain" onClick={onClose}>
            {settingsMessages.cancel}
          </Button>
          {processed !== undefined && (
            <span className="quiet" role="status">
              {memberMessages.moving(processed, workCount)}
            </span>
          )}
        </div>
      </FormLine>
    </Form>
  )
}

/** The number of open tasks and led projects, as a sentence. */
function describeWork(
  { open_tasks, recurring_tasks, projects_led }: MemberWork,
  name: string,
): string {
  const parts = [
    open_tasks > 0 && memberMessages.openTasks(open_tasks, recurring_tasks, name),
    projects_led > 0 && memberMessages.led(projects_led, name),
  ].filter(Boolean)
  return parts.join(' ') || memberMessages.noOpenTasks(name)
}

type HandoverCounts = Pick<HandoverResult, 'tasks' | 'unassigned' | 'refused'>

/** The numbers of tasks by what became of them, without zeros. */
const describeOutcome = ({ tasks, unassigned, refused }: HandoverCounts): string[] => [
  ...(tasks > 0 ? [memberMessages.reassigned(tasks)] : []),
  ...(unassigned > 0 ? [memberMessages.unassigned(unassigned)] : []),
  ...(refused > 0 ? [memberMessages.notMoved(refused)] : []),
]

/**
 * Hands over all open work of a member, one batch per request. Calls `onProgress` with the number
 * of processed items after each, and returns the sums of all batches.
 */
async function handOverAllWork(
  id: string,
  to: string,
  onProgress: (processed: number) => void,
): Promise<HandoverCounts> {
  let processed = 0
  const sums = { tasks: 0, unassigned: 0, refused: 0 }
  let batch: HandoverResult | undefined
  do {
    const body = { to, ...(batch?.after && { after: batch.after }) }
    const input = { params: { id }, body }
    batch = await requestEndpoint<typeof handOver>('POST /internal/members/:id/hand-over', input)
    sums.tasks += batch.tasks
    sums.unassigned += batch.unassigned
    sums.refused += batch.refused
    processed += batch.tasks + batch.unassigned + batch.projects + batch.refused
    onProgress(processed)
  } while (!batch.done)
  return sums
}
