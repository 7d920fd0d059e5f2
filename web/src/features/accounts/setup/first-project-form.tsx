import { useRef } from 'react'
import type { createInvitation } from '#resources/invitations/internal.ts'
import type { createProject } from '#resources/projects/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { firstProjectMessages } from '../../../messages/accounts/first-project.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../../ui/form/use-request-keys.ts'
import { AuthHeading, AuthLayout } from '../auth-layout.tsx'
import { useCompleteSignIn } from '../sign-in/use-complete-sign-in.ts'

const EMAIL_FIELDS = ['email', 'email_2'] as const

/** Begins an empty workspace: its first project, and the people who are invited to it. */
export function FirstProjectForm({ session }: { session: Session }) {
  const completeSignIn = useCompleteSignIn()
  /** The path of the project: after an address was refused it exists already. */
  const path = useRef<string>(undefined)
  /** The addresses invited so far: another invitation would end the first one's link. */
  const invited = useRef(new Set<string>())
  const keyOf = useRequestKeys()
  const createFirstProject = async (name: string) => {
    const body = { name, lead_id: session.user.id }
    const options = { idempotencyKey: keyOf(body) }
    const address = 'POST /internal/projects'
    const { prefix } = await requestEndpoint<typeof createProject>(address, { body }, options)
    return `/w/${session.workspace.id}/p/${prefix}`
  }
  const send = async (values: Record<string, string>) => {
    path.current ??= await createFirstProject(values.name ?? '')
    for (const field of EMAIL_FIELDS) {
      const email = values[field]
      if (!email || invited.current.has(email)) continue
      await invite(email, field)
      invited.current.add(email)
    }
    await completeSignIn(session, path.current)
  }
  return (
    <AuthLayout>
      <Form slip label={firstProjectMessages.title} onSubmit={send}>
        <AuthHeading title={firstProjectMessages.title}>{firstProjectMessages.why}</AuthHeading>
        <TextField
          label={firstProjectMessages.name}
          name="name"
          autoComplete="off"
          maxLength={100}
          autoFocus
          required
        />
        {EMAIL_FIELDS.map((name, index) => (
          <TextField
            key={name}
            label={firstProjectMessages.emails[index] ?? ''}
            name={name}
            type="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...(index === 1 && { hint: firstProjectMessages.emailsHint })}
          />
        ))}
        <FormLine>
          <div className="acts">
            <SubmitButton>{firstProjectMessages.open}</SubmitButton>
            <Button kind="plain" onClick={() => void completeSignIn(session, path.current)}>
              {firstProjectMessages.later}
            </Button>
          </div>
        </FormLine>
      </Form>
    </AuthLayout>
  )
}

/** Invites a member; an error of the address is shown at its field. */
async function invite(email: string, field: string): Promise<void> {
  const body = { email, role: 'member' as const }
  try {
    await requestEndpoint<typeof createInvitation>('POST /internal/invitations', { body })
  } catch (error) {
    if (!(error instanceof ApiResponseError)) throw error
    const { status, code, message, request_id, details } = error
    const own = details.map((one) => (one.field === 'email' ? { ...one, field } : one))
    throw new ApiResponseError(status, { code, message, request_id, details: own })
  }
}
