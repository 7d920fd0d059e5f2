import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { lookUpInvitation } from '#resources/invitations/internal.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { AuthMessage } from '../auth-layout.tsx'
import { confirmSwitchAccount, fetchCurrentSession } from '../current-session.ts'
import { useAsyncAction } from '../use-async-action.tsx'
import { AcceptInvitationForm } from './accept-invitation-form.tsx'

/** `/invite/:token`: shows the invitation, and accepts it with a new or an existing account. */
export function AcceptInvitation() {
  const { token } = useParams({ from: '/invite/$token' })
  const client = useQueryClient()
  const { busy, errorMessage, run } = useAsyncAction()
  const { data, error } = useQuery({
    queryKey: ['invite', token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const body = { token }
      const lookup = requestEndpoint<typeof lookUpInvitation>('POST /internal/invitations/lookup', {
        body,
      })
      const [invitation, session] = await Promise.all([lookup, fetchCurrentSession()])
      return { invitation, session }
    },
  })
  if (error) {
    const isExpired = error instanceof ApiResponseError && error.status === 404
    return (
      <AuthMessage
        title={accountMessages.expired}
        text={isExpired ? accountMessages.inviteExpiredWhy : <InlineError error={error} />}
      >
        <Link className="btn" to="/sign-in">
          {accountMessages.haveAccount}
        </Link>
      </AuthMessage>
    )
  }
  if (!data) return null
  const { invitation, session } = data
  const currentUser = session?.user
  if (currentUser && currentUser.email !== invitation.email) {
    const switchAccount = async () => {
      if (await confirmSwitchAccount())
        await client.invalidateQueries({ queryKey: ['invite', token] })
    }
    return (
      <AuthMessage
        title={accountMessages.wrongAccount}
        text={accountMessages.wrongAccountWhy(
          currentUser.email ?? currentUser.name,
          invitation.email,
        )}
      >
        <Button kind="primary" busy={busy} onClick={() => run(switchAccount)}>
          {accountMessages.switchAccount(invitation.email)}
        </Button>
        <Link className="btn" to="/start">
          {accountMessages.stayAs(currentUser.name)}
        </Link>
        {errorMessage}
      </AuthMessage>
    )
  }
  return (
    <AcceptInvitationForm
      token={token}
      invitation={invitation}
      {...(currentUser && { signedInName: currentUser.name })}
    />
  )
}
