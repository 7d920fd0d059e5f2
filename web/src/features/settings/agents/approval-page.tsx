import '../../../styles/settings-form.css'
import '../applications/applications.css'
import '../api-keys/api-keys.css'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type {
  Approval,
  allowApproval,
  changeApproval,
  refuseApproval,
} from '#resources/approvals/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useViewerId } from '../../../data/session/boot.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { inboxMessages } from '../../../messages/tasks/inbox.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { ErrorMessage, InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine, LabeledLine, TextArea } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { apiKeysQuery } from '../api-keys/api-keys-query.ts'
import { grantsQuery } from '../applications/application-queries.ts'
import { SettingsHeader } from '../settings-header.tsx'
import { ApprovalChanges } from './approval-changes.tsx'
import { approvalQuery, cacheApproval } from './approval-queries.ts'

/** `/approvals/:id`: a request that waits for a person, with what it would do, and the decision. */
export function ApprovalPage() {
  const { approvalId } = useParams({ from: '/w/$workspaceId/approvals/$approvalId' })
  const { data: approval, error, refetch } = useQuery(approvalQuery(approvalId))
  const name = approval?.credential.name ?? inboxMessages.program
  return (
    <main className="paper" id="work">
      <SettingsHeader title={agentMessages.asks(name)} />
      <div className="scroll">
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!approval && !error && <Skeleton lines={6} />}
        {approval && <ApprovalDetails key={approval.id} approval={approval} />}
      </div>
    </main>
  )
}

type ApprovalDecision = 'allow' | 'hour' | 'refuse'

/** The request and its outcome. After a change of the records it shows both, and asks again. */
function ApprovalDetails({ approval }: { approval: Approval }) {
  const { id, status, changes, record_count } = approval
  const [before, setBefore] = useState<Approval['changes']>()
  const [busy, setBusy] = useState<ApprovalDecision>()
  const [error, setError] = useState<unknown>()
  const outcome = useRef<HTMLDivElement>(null)

  const decide = async (decision: ApprovalDecision) => {
    setBusy(decision)
    setError(undefined)
    try {
      const decided = await sendDecision(id, decision)
      await cacheApproval(decided)
      announce(describeStatus(decided))
      setBefore(undefined)
      if (decision === 'hour')
        await Promise.all(
          [apiKeysQuery, grantsQuery].map((one) =>
            queryClient.invalidateQueries({ queryKey: one.queryKey }),
          ),
        )
    } catch (thrown) {
      const code = thrown instanceof ApiResponseError ? thrown.code : undefined
      if (code === 'changed_since') {
        setBefore(changes)
        await queryClient.refetchQueries(approvalQuery(id))
      } else setError(thrown)
      if (code === 'already_decided') await queryClient.refetchQueries(approvalQuery(id))
    }
    setBusy(undefined)
    outcome.current?.focus()
  }

  const isPending = status === 'pending'
  return (
    <>
      <ApprovalFacts approval={approval} />
      <ApprovalChanges
        title={isPending ? agentMessages.outcome : agentMessages.didOutcome}
        changes={changes}
        before={before}
        total={record_count}
      />
      <div className="sheet-form set-form" ref={outcome} tabIndex={-1}>
        {before && (
          <FormLine>
            <p className="warns" role="alert">
              <Icon name="warning" />
              {agentMessages.changedSince}
            </p>
          </FormLine>
        )}
        {error !== undefined && (
          <FormLine>
            <InlineError error={error} />
          </FormLine>
        )}
        {isPending && (
          <FormLine>
            <div className="acts">
              <Button kind="primary" busy={busy === 'allow'} onClick={() => void decide('allow')}>
                {agentMessages.allow}
              </Button>
              <Button busy={busy === 'hour'} onClick={() => void decide('hour')}>
                {agentMessages.allowHour}
              </Button>
              <Button kind="danger" busy={busy === 'refuse'} onClick={() => void decide('refuse')}>
                {agentMessages.refuse}
              </Button>
              <EditButton approval={approval} onChanged={() => setBefore(undefined)} />
            </div>
            <p className="hint">{agentMessages.allowHourHint}</p>
          </FormLine>
        )}
      </div>
    </>
  )
}

function sendDecision(id: string, decision: ApprovalDecision): Promise<Approval> {
  const params = { id }
  if (decision === 'refuse')
    return requestEndpoint<typeof refuseApproval>('POST /internal/approvals/:id/refuse', {
      params,
      body: {},
    })
  return requestEndpoint<typeof allowApproval>('POST /internal/approvals/:id/allow', {
    params,
    body: decision === 'hour' ? { for_an_hour: true } : {},
  })
}

/** Who asks, when and why, what was sent, and what somebody has decided. */
function ApprovalFacts({ approval }: { approval: Approval }) {
  const { credential, user, created_at, expires_at, reasons, endpoint, request, status } = approval
  const { decided_at, record_count } = approval
  return (
    <div className="sheet-form connect">
      {status !== 'pending' && (
        <LabeledLine word={agentMessages.decision}>
          <p>
            <strong>{describeStatus(approval)}</strong>{' '}
            {decided_at !== null && <FormattedInstant at={decided_at} />}
          </p>
        </LabeledLine>
      )}
      <LabeledLine word={agentMessages.who}>
        <strong>{credential.name ?? inboxMessages.program}</strong>{' '}
        <span className="quiet">
          {agentMessages.kinds[credential.type]}, {agentMessages.inNameOf(user.name ?? '')}
        </span>
      </LabeledLine>
      <LabeledLine word={agentMessages.when}>
        <FormattedInstant at={created_at} />
      </LabeledLine>
      <LabeledLine word={agentMessages.reason}>
        {reasons.map((reason) => agentMessages.reasons[reason]).join(' ')}
      </LabeledLine>
      {status === 'pending' && (
        <LabeledLine word={agentMessages.until}>
          <FormattedInstant at={expires_at} style="day" />
        </LabeledLine>
      )}
      <LabeledLine word={agentMessages.request}>
        <code>{endpoint}</code>
        {request.body !== null && (
          <details open={record_count === 0}>
            <summary className="choose">{agentMessages.requestBody}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
            <pre className="code" tabIndex={0}>
              {toJsonText(request.body)}
            </pre>
          </details>
        )}
      </LabeledLine>
    </div>
  )
}

const describeStatus = ({ status, decided_by }: Approval): string =>
  status === 'pending' ? '' : agentMessages.statuses[status](decided_by?.name ?? '')

const toJsonText = (body: unknown): string => JSON.stringify(body, null, 2)

interface EditButtonProps {
  approval: Approval
  onChanged: () => void
}

/** Only the owner of the credential may change what it does in their name. */
function EditButton({ approval, onChanged }: EditButtonProps) {
  const viewerId = useViewerId()
  if (approval.user.id !== viewerId || approval.request.body === null) return null
  const open = () =>
    openDialog({
      title: agentMessages.editTitle,
      body: (close) => (
        <EditForm
          approval={approval}
          onClose={() => {
            onChanged()
            close()
          }}
        />
      ),
    })
  return <Button onClick={open}>{agentMessages.edit}</Button>
}

function EditForm({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const [text, setText] = useState(() => toJsonText(approval.request.body))
  const parsed = parseJson(text)
  const send = async () => {
    if (!parsed) return
    const changed = await requestEndpoint<typeof changeApproval>('PATCH /internal/approvals/:id', {
      params: { id: approval.id },
      body: { request_body: parsed.value },
    })
    await cacheApproval(changed)
    onClose()
  }
  return (
    <Form label={agentMessages.editTitle} guard="typed" onSubmit={send}>
      <TextArea
        label={agentMessages.requestBody}
        name="request_body"
        hint={agentMessages.editHint}
        rows={12}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <FormActions onCancel={onClose}>
        <SubmitButton {...(!parsed && { reason: agentMessages.notJson })}>
          {agentMessages.preview}
        </SubmitButton>
      </FormActions>
    </Form>
  )
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
