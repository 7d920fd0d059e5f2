import { useState } from 'react'
import type { decide, Interaction } from '#consent/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { tellSignedOut } from '../../data/elsewhere.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/consent.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine, SelectField } from '../../ui/field.tsx'
import { Person } from '../../ui/person.tsx'
import { TroubleLine } from '../../ui/trouble.tsx'
import { leaveSession } from '../accounts/who-is-here.ts'
import { Asker, Destination, Nevers, Scopes, WordLine } from './parts.tsx'
import { endOf } from './request-query.ts'

interface Props {
  uid: string
  interaction: Interaction
  session: Session
  /** It was answered, and the browser is still here: where it went opens outside of it. */
  onSent: (told: { title: string; name: string }) => void
  /** It cannot be answered any more, or not before signing in. */
  onEnd: () => void
}

type Decision = 'allow' | 'deny'

/** A browser that goes elsewhere has left by then. */
const LEFT_MS = 2_000

/** Who asks for what, where, and what follows; the two answers weigh the same. */
export function Question({ uid, interaction, session, onSent, onEnd }: Props) {
  const { application, workspaces, scopes, redirect_uri, again_url } = interaction
  const { name } = application
  const current = workspaces.find(({ id }) => id === session.workspace.id) ?? workspaces[0]
  const [chosen = current, setChosen] = useState<typeof current>()
  const [busy, setBusy] = useState<Decision | 'switch'>()
  const [error, setError] = useState<unknown>()

  const during = async (what: Decision | 'switch', work: () => Promise<void>) => {
    if (busy) return
    setBusy(what)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      if (endOf(thrown)) return onEnd()
      setError(thrown)
      setBusy(undefined)
    }
  }
  const answer = (decision: Decision) =>
    during(decision, async () => {
      const body = {
        decision,
        ...(decision === 'allow' && chosen && { workspace_id: chosen.id }),
      }
      const to = 'POST /internal/oauth/interactions/:uid'
      const { redirect_to } = await call<typeof decide>(to, { params: { uid }, body })
      location.assign(redirect_to)
      const title = decision === 'allow' ? m.allowed(name) : m.denied(name)
      setTimeout(() => onSent({ title, name }), LEFT_MS)
    })
  const switchPerson = () =>
    during('switch', async () => {
      await leaveSession()
      tellSignedOut()
      location.assign(again_url)
    })

  return (
    <div className="form slip consent">
      <Asker application={application} />
      {workspaces.length > 1 && (
        <SelectField
          label={m.workspace}
          name="workspace_id"
          value={chosen?.id}
          onChange={({ target }) => setChosen(workspaces.find(({ id }) => id === target.value))}
          options={workspaces.map(({ id, name: label }) => ({ value: id, label }))}
        />
      )}
      {workspaces.length === 1 && (
        <WordLine word={m.workspace}>
          <strong>{chosen?.name}</strong>
        </WordLine>
      )}
      {chosen ? (
        <>
          <Scopes scopes={scopes} />
          <Nevers scopes={scopes} workspace={chosen.name} />
        </>
      ) : (
        <FormLine>
          <p>{m.noWorkspace}</p>
        </FormLine>
      )}
      {error !== undefined && (
        <FormLine>
          <TroubleLine error={error} />
        </FormLine>
      )}
      <FormLine>
        <div className={chosen && 'both'}>
          <Button wide busy={busy === 'deny'} onClick={() => answer('deny')}>
            {m.deny}
          </Button>
          {chosen && (
            <Button wide busy={busy === 'allow'} onClick={() => answer('allow')}>
              {m.allow}
            </Button>
          )}
        </div>
        {chosen && <p className="hint">{m.end}</p>}
      </FormLine>
      <Destination uri={redirect_uri} />
      <WordLine word={m.youAre}>
        <p>
          <Person name={session.user.name} me named />
          <span className="quiet"> {session.user.email} </span>
          <Button kind="plain" title={m.switchHint} busy={busy === 'switch'} onClick={switchPerson}>
            {m.switch}
          </Button>
        </p>
      </WordLine>
    </div>
  )
}
