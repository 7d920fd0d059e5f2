import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { lookUpInvitation } from '#resources/invitations/internal.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { Button } from '../../ui/button.tsx'
import { TroubleLine } from '../../ui/trouble.tsx'
import { Told } from './alone.tsx'
import { InviteForm } from './invite-form.tsx'
import { leaveSession, whoIsHere } from './who-is-here.ts'

/** `/invite/:token`: who invites whom where; then a new account, or the one that is there. */
export function Invite() {
  const { token } = useParams({ from: '/invite/$token' })
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['invite', token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const body = { token }
      const asked = call<typeof lookUpInvitation>('POST /internal/invitations/lookup', { body })
      const [invitation, session] = await Promise.all([asked, whoIsHere()])
      return { invitation, session }
    },
  })
  if (error) {
    const isOver = error instanceof Problem && error.status === 404
    return (
      <Told title={m.expired} text={isOver ? m.inviteExpiredWhy : <TroubleLine error={error} />}>
        <Link className="btn" to="/sign-in">
          {m.haveAccount}
        </Link>
      </Told>
    )
  }
  if (!data) return null
  const { invitation, session } = data
  const here = session?.user
  if (here && here.email !== invitation.email) {
    const go = async () => {
      await leaveSession()
      await client.invalidateQueries({ queryKey: ['invite', token] })
    }
    return (
      <Told
        title={m.wrongAccount}
        text={m.wrongAccountWhy(here.email ?? here.name, invitation.email)}
      >
        <Button kind="primary" onClick={go}>
          {m.switchAccount(invitation.email)}
        </Button>
        <Link className="btn" to="/start">
          {m.stayAs(here.name)}
        </Link>
      </Told>
    )
  }
  return <InviteForm token={token} invitation={invitation} {...(here && { hereName: here.name })} />
}
