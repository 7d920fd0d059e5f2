import { useState } from 'react'
import type { createInvitation } from '#resources/invitations/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import type { Role } from '#wire/rights.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { bootState, useBoot } from '../../../data/session/boot.ts'
import { canGiveRole, hasRight } from '../../../data/session/rights.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { getErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, SelectField, TextArea } from '../../../ui/form/form-field.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { InvitationLinks } from './invitation-links.tsx'
import { invitationsQuery } from './member-queries.ts'
import { parseEmails } from './parse-emails.ts'

type NewInvitation = EndpointReply<typeof createInvitation>

/** Asks whom to invite, then shows the links, which no later response contains. */
export const openInviteDialog = (): void => {
  openDialog({
    title: memberMessages.inviteTitle,
    wide: true,
    body: (close) => <InviteForm onClose={close} />,
  })
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const { session, roles } = useBoot('session', 'roles')
  const manageableRoles = roles
    .map(({ role }) => role)
    .filter((role) => canGiveRole(session.user, role))
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [projects, setProjects] = useState<readonly string[]>([])
  const [created, setCreated] = useState<NewInvitation[]>([])
  const [errors, setErrors] = useState<readonly string[]>([])
  const isListed = !hasRight({ role }, 'see_open_projects')
  const { emails, invalid } = parseEmails(typed)
  const send = async () => {
    setErrors([])
    if (invalid.length > 0) {
      const message = memberMessages.notEmails(invalid.join(', '))
      const details = [{ field: 'email', code: 'invalid_format', message }]
      throw new ApiResponseError(422, {
        code: 'validation_failed',
        message,
        details,
        request_id: '',
      })
    }
    const failedEmails: string[] = []
    const messages: string[] = []
    const keepFrom = (email: string) =>
      setTyped([...emails.slice(emails.indexOf(email)), ...failedEmails].join('\n'))
    for (const email of emails) {
      const access = isListed ? { project_ids: [...projects] } : {}
      try {
        const body = { email, role, ...access }
        const invitation = await requestEndpoint<typeof createInvitation>(
          'POST /internal/invitations',
          { body },
        )
        setCreated((all) => [...all, invitation])
      } catch (error) {
        // An error of one address must not stop the others; an error that concerns all of them ends
        // the loop, and the field keeps the addresses that are still to be invited.
        if (
          !(error instanceof ApiResponseError) ||
          error.messageFor('project_ids') ||
          error.code === 'sign_in_again' ||
          error.status >= 429
        ) {
          keepFrom(email)
          throw error
        }
        failedEmails.push(email)
        messages.push(memberMessages.refusedFor(email, getErrorMessage(error)))
      }
    }
    setTyped(failedEmails.join('\n'))
    setErrors(messages)
    await queryClient.invalidateQueries(invitationsQuery)
  }
  return (
    <>
      {created.length > 0 && <InvitationLinks invitations={created} />}
      {(created.length === 0 || typed !== '') && (
        <Form guard={typed !== ''} label={memberMessages.inviteTitle} onSubmit={send}>
          <TextArea
            label={memberMessages.emails}
            name="email"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            hint={memberMessages.emailsHint}
            error={errors.length > 0 ? errors.join(' ') : undefined}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            rows={3}
          />
          <SelectField
            label={memberMessages.role}
            name="role"
            value={role}
            onChange={({ target }) =>
              setRole(manageableRoles.find((one) => one === target.value) ?? role)
            }
            options={manageableRoles.map((one) => ({
              value: one,
              label: roleMessages[one].name,
            }))}
            hint={roleMessages[role].hint}
          />
          {isListed && <GuestProjects chosen={projects} onChange={setProjects} />}
          <FormActions onCancel={onClose}>
            <SubmitButton reason={typed.trim() === '' ? memberMessages.noEmail : undefined}>
              {memberMessages.inviteDo(emails.length)}
            </SubmitButton>
          </FormActions>
        </Form>
      )}
      {created.length > 0 && typed === '' && (
        <FormLine>
          <Button onClick={onClose}>{settingsMessages.done}</Button>
        </FormLine>
      )}
    </>
  )
}

interface GuestProjectsProps {
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function GuestProjects({ chosen, onChange }: GuestProjectsProps) {
  const all = bootState.get()?.projects.filter(({ status }) => status === 'active') ?? []
  return (
    <FieldGroup label={memberMessages.guestProjects} hint={memberMessages.guestProjectsHint}>
      <input type="hidden" name="project_ids" />
      <div className="several">
        {all.map(({ id, name, prefix }) => (
          <CheckField
            key={id}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          >
            <span className="mono">{prefix}</span> {name}
          </CheckField>
        ))}
      </div>
    </FieldGroup>
  )
}
