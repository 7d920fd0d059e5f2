import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Work } from '#resources/leaving/internal.ts'
import type { Member } from '#resources/members/contract.ts'
import type { deleteMember } from '#resources/members/internal.ts'
import { boot } from '../../../data/boot.ts'
import { queries, refetchLists } from '../../../data/refetch.ts'
import { signOut } from '../../../data/session.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/members.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, SelectField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { TroubleLine } from '../../../ui/trouble.tsx'
import { handOverAll } from './hand-over.ts'
import { membersQuery, workQuery } from './queries.ts'

/** Asks before a member is removed, and where their open tasks go. */
export function openRemove(member: Member, isMe: boolean): void {
  openDialog({
    title: isMe ? m.leaveTitle : m.removeTitle(member.name),
    body: (close) => <RemoveForm member={member} isMe={isMe} onClose={close} />,
  })
}

interface Props {
  member: Member
  isMe: boolean
  onClose: () => void
}

function RemoveForm({ member, isMe, onClose }: Props) {
  const { id, name } = member
  const [to, setTo] = useState('keep')
  const [through, setThrough] = useState<number>()
  const { data: work, error } = useQuery(workQuery(id))
  const waits = work ? work.open_tasks + work.projects_led : 0
  const others = boot.get()?.members.filter((one) => one.id !== id) ?? []
  const send = async () => {
    const refused = waits === 0 || to === 'keep' ? 0 : await handOverAll(id, to, setThrough)
    if (waits > 0) refetchLists()
    await call<typeof deleteMember>('DELETE /internal/members/:id', { params: { id } })
    onClose()
    if (isMe) return signOut()
    queries.setQueryData(membersQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    toast({ text: refused > 0 ? m.notMoved(refused) : m.removed(name) })
  }
  return (
    <Form label={m.removeTitle(name)} onSubmit={send}>
      <FormLine>
        <p>{m.removeWhy(name)}</p>
        <p aria-live="polite">{work ? said(work, name) : !error && m.counting}</p>
        {error && <TroubleLine error={error} />}
      </FormLine>
      {waits > 0 && (
        <SelectField
          label={m.tasksGo}
          name="tasks"
          value={to}
          hint={m.tasksGoHint}
          onChange={({ target }) => setTo(target.value)}
          options={[
            { value: 'keep', label: m.keep },
            { value: 'nobody', label: m.unassign },
            { value: 'leads', label: m.toLeads },
            ...others.map((one) => ({ value: one.id, label: m.reassign(one.name) })),
          ]}
        />
      )}
      <FormLine>
        <div className="acts">
          <Submit kind="danger" reason={work || error ? undefined : m.counting}>
            {isMe ? m.leave : m.removeDo(name)}
          </Submit>
          <Button kind="plain" onClick={onClose}>
            {common.cancel}
          </Button>
          {through !== undefined && (
            <span className="quiet" role="status">
              {m.moving(through, waits)}
            </span>
          )}
        </div>
      </FormLine>
    </Form>
  )
}

/** What waits for the person, counted. */
function said({ open_tasks, recurring_tasks, projects_led }: Work, name: string): string {
  const parts = [
    open_tasks > 0 && m.openTasks(open_tasks, recurring_tasks, name),
    projects_led > 0 && m.led(projects_led, name),
  ].filter(Boolean)
  return parts.join(' ') || m.noOpenTasks(name)
}
