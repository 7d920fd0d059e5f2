import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { deleteMember } from '#resources/members/internal.ts'
import { boot } from '../../../data/boot.ts'
import { changeInSteps, idsOfTasks } from '../../../data/in-steps.ts'
import { queries } from '../../../data/refetch.ts'
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
import { membersQuery } from './queries.ts'

const OPEN = ['backlog', 'unstarted', 'started'] as const

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
  const { data: tasks, error } = useQuery({
    queryKey: ['open-tasks-of', id],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => idsOfTasks({ assignee_id: [id], status_category: [...OPEN] }, signal),
  })
  const others = boot.get()?.members.filter((one) => one.id !== id) ?? []
  const send = async () => {
    let refused = 0
    if (tasks && to !== 'keep') {
      const given = to === 'unassign' ? {} : { add_assignee_ids: [to] }
      refused = await changeInSteps(tasks, { remove_assignee_ids: [id], ...given }, setThrough)
    }
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
        <p aria-live="polite">
          {tasks
            ? tasks.length === 0
              ? m.noOpenTasks(name)
              : m.openTasks(tasks.length, name)
            : !error && m.counting}
        </p>
        {error && <TroubleLine error={error} />}
      </FormLine>
      {tasks && tasks.length > 0 && (
        <SelectField
          label={m.tasksGo}
          name="tasks"
          value={to}
          onChange={({ target }) => setTo(target.value)}
          options={[
            { value: 'keep', label: m.keep },
            { value: 'unassign', label: m.unassign },
            ...others.map((one) => ({ value: one.id, label: m.reassign(one.name) })),
          ]}
        />
      )}
      <FormLine>
        <div className="acts">
          <Submit kind="danger" reason={tasks || error ? undefined : m.counting}>
            {isMe ? m.leave : m.removeDo(name)}
          </Submit>
          <Button kind="plain" onClick={onClose}>
            {common.cancel}
          </Button>
          {through !== undefined && tasks && (
            <span className="quiet" role="status">
              {m.moving(through, tasks.length)}
            </span>
          )}
        </div>
      </FormLine>
    </Form>
  )
}
