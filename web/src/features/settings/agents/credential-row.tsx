import { useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { useMemberNames, useViewerId } from '../../../data/session/boot.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { findScopePreset } from '../api-keys/scope-selection.ts'
import { type AgentCredential, updateCredential } from './credentials.ts'
import { describeSupervision } from './describe-supervision.ts'
import { parseSupervision, SupervisionChoice } from './supervision-choice.tsx'
import { openUndoDialog } from './undo-dialog.tsx'

/** One credential with its supervision, and what its owner can do about it. */
export function CredentialRow({ credential }: { credential: AgentCredential }) {
  const { type, name, user_id, scopes, last_used_at } = credential
  const nameOf = useMemberNames()
  const viewerId = useViewerId()
  return (
    <li className="line more-line">
      <span className="gut" />
      <div className="control">
        <p>
          <strong>{name}</strong>{' '}
          {user_id !== viewerId && (
            <span className="quiet">{apiKeyMessages.of(nameOf(user_id))} </span>
          )}
          <span className="quiet">
            {agentMessages.kinds[type]} ·{' '}
            {last_used_at ? (
              <>
                {agentMessages.lastUsed} <FormattedInstant at={last_used_at} />
              </>
            ) : (
              agentMessages.neverUsed
            )}
          </span>
        </p>
        <p>
          {findScopePreset(scopes) === 'read_only'
            ? agentMessages.readsOnly
            : describeSupervision(credential.supervision)}
        </p>
        <CredentialState credential={credential} />
        <CredentialActions credential={credential} />
      </div>
    </li>
  )
}

/** Since when it is stopped, or until when it is not asked about anything. */
function CredentialState({
  credential: { paused_at, allowed_until },
}: {
  credential: AgentCredential
}) {
  if (paused_at !== null)
    return (
      <p className="bad">
        {agentMessages.pausedSince} <FormattedInstant at={paused_at} />
      </p>
    )
  if (allowed_until === null || Date.parse(allowed_until) <= Date.now()) return null
  return (
    <p className="warns">
      {agentMessages.freeUntil} <FormattedInstant at={allowed_until} style="day" />
    </p>
  )
}

function CredentialActions({ credential }: { credential: AgentCredential }) {
  const [busy, setBusy] = useState(false)
  const { name, paused_at } = credential
  const isPaused = paused_at !== null
  const togglePaused = async () => {
    setBusy(true)
    try {
      await updateCredential(credential, { paused: !isPaused })
      showToast({ text: isPaused ? agentMessages.resumed(name) : agentMessages.stopped(name) })
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  return (
    <div className="acts">
      <Button
        kind={isPaused ? 'primary' : 'danger'}
        busy={busy}
        aria-label={isPaused ? agentMessages.resumeOf(name) : agentMessages.stopOf(name)}
        onClick={() => void togglePaused()}
      >
        {isPaused ? agentMessages.resume : agentMessages.stop}
      </Button>
      <Button aria-label={agentMessages.undoOf(name)} onClick={() => openUndoDialog(credential)}>
        {agentMessages.undo}
      </Button>
      <Button
        aria-label={agentMessages.superviseOf(name)}
        onClick={() => openSupervisionDialog(credential)}
      >
        {agentMessages.supervise}
      </Button>
    </div>
  )
}

/** Asks what the credential may do only after a person has looked at it. */
const openSupervisionDialog = (credential: AgentCredential): void => {
  const title = agentMessages.superviseOf(credential.name)
  openDialog({
    title,
    body: (close) => (
      <Form
        label={title}
        guard="typed"
        onSubmit={async (_, data) => {
          await updateCredential(credential, { supervision: parseSupervision(data) })
          close()
          showToast({ text: agentMessages.saved })
        }}
      >
        <SupervisionChoice supervision={credential.supervision} />
        <FormActions onCancel={close}>
          <SubmitButton>{settingsMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    ),
  })
}
