import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Approval } from '#resources/approvals/internal.ts'
import { useBoot, useViewerId } from '../../../data/session/boot.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { inboxMessages } from '../../../messages/tasks/inbox.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { apiKeysQuery } from '../api-keys/api-keys-query.ts'
import { grantsQuery } from '../applications/application-queries.ts'
import { SectionHeader, SettingsHeader } from '../settings-header.tsx'
import { approvalsQuery } from './approval-queries.ts'
import { AgentLimits, ConnectAgents } from './connect-agents.tsx'
import { CredentialRow } from './credential-row.tsx'
import { toCredentials } from './credentials.ts'

/** How agents connect, which credentials act for programs, and which of their requests wait. */
export function AgentSettings() {
  return (
    <>
      <SettingsHeader title={settingsMessages.sections.agents}>
        {agentMessages.why} <a href="/docs/guides/mcp">{agentMessages.guide}</a>
      </SettingsHeader>
      <div className="scroll">
        <WaitingRequests />
        <Credentials />
        <ConnectAgents />
        <AgentLimits />
      </div>
    </>
  )
}

function WaitingRequests() {
  const { data: approvals, error, refetch } = useQuery(approvalsQuery)
  return (
    <section aria-label={agentMessages.waiting}>
      <SectionHeader title={agentMessages.waiting} count={approvals?.length} />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!approvals && !error && <Skeleton rows={1} />}
      {approvals?.length === 0 && (
        <div className="line set-note">
          <span className="gut" />
          <p className="quiet">{agentMessages.noneWaiting}</p>
        </div>
      )}
      {approvals && approvals.length > 0 && (
        <ul className="ruled">
          {approvals.map((approval) => (
            <WaitingRequest key={approval.id} approval={approval} />
          ))}
        </ul>
      )}
    </section>
  )
}

function WaitingRequest({ approval }: { approval: Approval }) {
  const { session } = useBoot('session')
  const { id, credential, endpoint, record_count, created_at, reasons } = approval
  return (
    <li className="line more-line">
      <span className="gut">
        <FormattedInstant at={created_at} style="gutter" />
      </span>
      <div>
        <Link
          to="/w/$workspaceId/approvals/$approvalId"
          params={{ workspaceId: session.workspace.id, approvalId: id }}
          search={{}}
          className="choose"
        >
          <strong>
            {inboxMessages.request(credential.name ?? inboxMessages.program, record_count)}
          </strong>
        </Link>
        <p className="quiet">
          {reasons.map((reason) => agentMessages.reasons[reason]).join(' ')}{' '}
          <span className="mono">{endpoint}</span>
        </p>
      </div>
    </li>
  )
}

function Credentials() {
  const viewerId = useViewerId()
  const keys = useQuery(apiKeysQuery)
  const grants = useQuery(grantsQuery)
  const error = keys.error ?? grants.error
  const retry = () => void Promise.all([keys.refetch(), grants.refetch()])
  const credentials = keys.data && grants.data && toCredentials(keys.data, grants.data, viewerId)
  return (
    <section aria-label={agentMessages.list}>
      <SectionHeader title={agentMessages.list} count={credentials?.length} />
      {error && <ErrorMessage error={error} onRetry={retry} />}
      {!credentials && !error && <Skeleton rows={3} />}
      {credentials?.length === 0 && <EmptyState text={agentMessages.empty} />}
      {credentials && credentials.length > 0 && (
        <ul className="ruled">
          {credentials.map((credential) => (
            <CredentialRow key={credential.id} credential={credential} />
          ))}
        </ul>
      )}
    </section>
  )
}
