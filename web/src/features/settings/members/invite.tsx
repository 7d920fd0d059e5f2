import { useState } from 'react'
import type { createInvitation } from '#resources/invitations/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import { boot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'
import { Problem } from '../../../lib/problem.ts'
import { m } from '../../../messages/members.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { Check, FormLine, SelectField, TextArea } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { messageOf } from '../../../ui/trouble.tsx'
import { emailsOf } from './emails.ts'
import { Links } from './links.tsx'
import { invitationsQuery } from './queries.ts'

const ROLES = ['member', 'guest', 'admin', 'owner'] as const
type Role = (typeof ROLES)[number]
export type MadeInvitation = Reply<typeof createInvitation>

/** Asks whom to invite; then shows the links, which no later reply holds. */
export const openInvite = (): void => {
  openDialog({ title: m.inviteTitle, wide: true, body: (close) => <Invite onClose={close} /> })
}

function Invite({ onClose }: { onClose: () => void }) {
  const me = boot.get()?.session.user
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [projects, setProjects] = useState<readonly string[]>([])
  const [made, setMade] = useState<MadeInvitation[]>([])
  const [refused, setRefused] = useState<readonly string[]>([])
  const emails = emailsOf(typed)
  const send = async () => {
    const left: string[] = []
    const told: string[] = []
    for (const email of emails) {
      const about = role === 'guest' ? { project_ids: [...projects] } : {}
      try {
        const body = { email, role, ...about }
        const one = await call<typeof createInvitation>('POST /internal/invitations', { body })
        setMade((all) => [...all, one])
      } catch (error) {
        // What is wrong with one address holds up no other; trouble with all of them ends it.
        if (!(error instanceof Problem) || error.at('project_ids') || error.status >= 429) {
          setTyped([email, ...emails.slice(emails.indexOf(email) + 1), ...left].join('\n'))
          throw error
        }
        left.push(email)
        told.push(m.refusedFor(email, messageOf(error)))
      }
    }
    setTyped(left.join('\n'))
    setRefused(told)
    await queries.invalidateQueries(invitationsQuery)
  }
  return (
    <>
      {made.length > 0 && <Links made={made} />}
      {(made.length === 0 || typed !== '') && (
        <Form label={m.inviteTitle} onSubmit={send}>
          <TextArea
            label={m.emails}
            name="email"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            hint={m.emailsHint}
            error={refused.length > 0 ? refused.join(' ') : undefined}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            rows={3}
          />
          <SelectField
            label={m.role}
            name="role"
            value={role}
            onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? role)}
            options={ROLES.filter((one) => one !== 'owner' || me?.role === 'owner').map((one) => ({
              value: one,
              label: m.roles[one],
            }))}
            hint={m.roleHints[role]}
          />
          {role === 'guest' && <Projects chosen={projects} onChange={setProjects} />}
          <FormActs onCancel={onClose}>
            <Submit reason={emails.length === 0 ? m.noEmail : undefined}>
              {m.inviteDo(emails.length)}
            </Submit>
          </FormActs>
        </Form>
      )}
      {made.length > 0 && typed === '' && (
        <FormLine>
          <Button onClick={onClose}>{common.done}</Button>
        </FormLine>
      )}
    </>
  )
}

interface ProjectsProps {
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function Projects({ chosen, onChange }: ProjectsProps) {
  const all = boot.get()?.projects.filter(({ status }) => status === 'active') ?? []
  return (
    <GroupLine label={m.guestProjects} hint={m.guestProjectsHint}>
      <input type="hidden" name="project_ids" />
      <div className="several">
        {all.map(({ id, name, prefix }) => (
          <Check
            key={id}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          >
            <span className="mono">{prefix}</span> {name}
          </Check>
        ))}
      </div>
    </GroupLine>
  )
}
