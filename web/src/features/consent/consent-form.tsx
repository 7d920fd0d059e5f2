import { type FormEvent, useState } from 'react'
import type { decideInteraction, Interaction } from '#accounts/oauth-consent/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../messages/accounts/accounts.ts'
import { consentMessages } from '../../messages/accounts/consent.ts'
import { supervisionMessages } from '../../messages/settings/supervision.ts'
import { InlineError } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { FormLine, LabeledLine, SelectField } from '../../ui/form/form-field.tsx'
import { Avatar } from '../../ui/marks/avatar.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import { confirmSwitchAccount } from '../accounts/index.ts'
import { parseSupervision, SupervisionChoice } from '../settings/index.ts'
import {
  ConsentLimits,
  RedirectDestination,
  RequestedScopes,
  RequestingApplication,
} from './consent-details.tsx'
import { getConsentEndStatus } from './consent-request-query.ts'

interface ConsentFormProps {
  uid: string
  interaction: Interaction
  session: Session
  /** Called when the answer is sent and the page is still open: the redirect opened another app. */
  onSent: (message: { title: string; name: string }) => void
  /** Called when the request has expired, or when the person has to sign in first. */
  onEnd: () => void
}

type ConsentDecision = 'allow' | 'deny'

/** A browser that navigates to a web page has left this one by then. */
const REDIRECT_TIMEOUT_MS = 2_000

/** Shows the request and its consequences; both answers are buttons of equal weight. */
export function ConsentForm({ uid, interaction, session, onSent, onEnd }: ConsentFormProps) {
  const { application, workspaces, scopes, redirect_uri, again_url } = interaction
  const { name } = application
  const current = workspaces.find(({ id }) => id === session.workspace.id) ?? workspaces[0]
  const [chosen = current, setChosen] = useState<typeof current>()
  const [busy, setBusy] = useState<ConsentDecision | 'switch'>()
  const [error, setError] = useState<unknown>()

  const runWhileBusy = async (button: ConsentDecision | 'switch', action: () => Promise<void>) => {
    if (busy) return
    setBusy(button)
    setError(undefined)
    try {
      await action()
    } catch (cause) {
      if (getConsentEndStatus(cause)) return onEnd()
      setError(cause)
      setBusy(undefined)
    }
  }
  const answer = (decision: ConsentDecision, data?: FormData) =>
    runWhileBusy(decision, async () => {
      // Without a choice an application is supervised as when it was allowed before.
      const supervision = data && parseSupervision(data)
      const body = {
        decision,
        ...(decision === 'allow' && chosen && { workspace_id: chosen.id }),
        ...(supervision && { supervision }),
      }
      const answered = await requestEndpoint<typeof decideInteraction>(
        'POST /internal/oauth/interactions/:uid',
        { params: { uid }, body },
      )
      location.assign(answered.redirect_to)
      const title =
        decision === 'allow' ? consentMessages.allowed(name) : consentMessages.denied(name)
      setTimeout(() => onSent({ title, name }), REDIRECT_TIMEOUT_MS)
    })
  const switchPerson = () =>
    runWhileBusy('switch', async () => {
      if (await confirmSwitchAccount()) location.assign(again_url)
      else setBusy(undefined)
    })

  const allow = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void answer('allow', new FormData(event.currentTarget))
  }
  const writes = scopes.some(({ name: scope }) => !scope.endsWith(':read'))
  const problem = error instanceof ApiResponseError ? error : undefined

  return (
    <div className="form slip consent">
      <RequestingApplication application={application} />
      {workspaces.length > 1 && (
        <SelectField
          label={consentMessages.workspace}
          name="workspace_id"
          value={chosen?.id}
          onChange={({ target }) => setChosen(workspaces.find(({ id }) => id === target.value))}
          options={workspaces.map(({ id, name: label }) => ({ value: id, label }))}
        />
      )}
      {workspaces.length === 1 && (
        <LabeledLine word={consentMessages.workspace}>
          <strong>{chosen?.name}</strong>
        </LabeledLine>
      )}
      {chosen ? (
        <>
          <RequestedScopes scopes={scopes} />
          <ConsentLimits scopes={scopes} workspace={chosen.name} />
        </>
      ) : (
        <FormLine>
          <p>{consentMessages.noWorkspace}</p>
        </FormLine>
      )}
      <form noValidate onSubmit={allow}>
        {chosen && writes && (
          <details className="disclosure">
            <summary className="line">
              <span className="gut" />
              <span>
                {supervisionMessages.offer} <Icon name="down" />
              </span>
            </summary>
            <SupervisionChoice supervision={null} />
          </details>
        )}
        {error !== undefined && (
          <FormLine>
            <InlineError error={error} />
            {/* Without a password, or with a second factor that this session has not shown. */}
            {problem?.code === 'sign_in_again' && (
              <div className="acts">
                <Button onClick={() => location.assign(again_url)}>{accountMessages.signIn}</Button>
              </div>
            )}
          </FormLine>
        )}
        <FormLine>
          <div className={chosen && 'both'}>
            <Button wide busy={busy === 'deny'} onClick={() => answer('deny')}>
              {consentMessages.deny}
            </Button>
            {chosen && (
              <Button wide type="submit" busy={busy === 'allow'}>
                {consentMessages.allow}
              </Button>
            )}
          </div>
          {chosen && <p className="hint">{consentMessages.end}</p>}
        </FormLine>
      </form>
      <RedirectDestination uri={redirect_uri} />
      <LabeledLine word={consentMessages.youAre}>
        <p>
          <Avatar name={session.user.name} me named />
          <span className="quiet"> {session.user.email} </span>
          <Button
            kind="plain"
            title={consentMessages.switchHint}
            busy={busy === 'switch'}
            onClick={switchPerson}
          >
            {consentMessages.switch}
          </Button>
        </p>
      </LabeledLine>
    </div>
  )
}
