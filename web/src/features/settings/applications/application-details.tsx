import { useQuery } from '@tanstack/react-query'
import type { Application } from '#resources/applications/internal.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { CopyButton } from '../../../ui/form/copy-button.tsx'
import { LabeledLine } from '../../../ui/form/form-field.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { confirmRotateApplicationSecret } from './application-commands.ts'
import { openApplicationForm } from './application-form.tsx'
import { applicationGrantsQuery } from './application-queries.ts'
import { describeScopes } from './describe-scopes.ts'
import { GrantsTable } from './grants-table.tsx'
import { formatOAuthCommands, getOAuthEndpoints } from './oauth-commands.ts'

interface ApplicationDetailsProps {
  application: Application
  /** Why the secret cannot be rotated now; undefined if it can. */
  rotateReason: string | undefined
  onSecret: (application: Application, secret: string) => void
}

/** How an application connects, and the people who have authorized it in this workspace. */
export function ApplicationDetails({
  application,
  rotateReason,
  onSecret,
}: ApplicationDetailsProps) {
  const { id, name, type, redirect_uris, scopes } = application
  const endpoints = getOAuthEndpoints(location.origin)
  const commands = formatOAuthCommands(application, location.origin)
  return (
    <>
      <section aria-label={applicationMessages.connect(name)}>
        <SectionHeader
          title={applicationMessages.connect(name)}
          actions={
            <>
              <Button onClick={() => openApplicationForm(application)}>
                {applicationMessages.edit}
              </Button>
              <Button
                reason={type === 'public' ? applicationMessages.isPublic : rotateReason}
                onClick={() => confirmRotateApplicationSecret(application, onSecret)}
              >
                {applicationMessages.rotate}
              </Button>
            </>
          }
        />
        <div className="sheet-form connect">
          <LabeledLine word={applicationMessages.clientId}>
            <div className="acts">
              <code>{id}</code>
              <CopyButton text={id}>{applicationMessages.copyId}</CopyButton>
            </div>
          </LabeledLine>
          <LabeledLine word={applicationMessages.redirects}>
            {redirect_uris.map((uri) => (
              <p key={uri}>
                <code>{uri}</code>
              </p>
            ))}
          </LabeledLine>
          <LabeledLine word={applicationMessages.scopes}>{describeScopes(scopes)}</LabeledLine>
          {(['authorize', 'token', 'metadata'] as const).map((which) => (
            <LabeledLine key={which} word={applicationMessages[which]}>
              <code>{endpoints[which]}</code>
            </LabeledLine>
          ))}
          <LabeledLine word={applicationMessages.example}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
            <pre className="code" tabIndex={0}>
              {commands}
            </pre>
            <CopyButton text={commands}>{applicationMessages.copyExample}</CopyButton>
          </LabeledLine>
        </div>
      </section>
      <ApplicationGrants id={id} />
    </>
  )
}

function ApplicationGrants({ id }: { id: string }) {
  const { data: grants, error, refetch } = useQuery(applicationGrantsQuery(id))
  return (
    <section aria-label={applicationMessages.grants}>
      <SectionHeader title={applicationMessages.grants} count={grants?.length} />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!grants && !error && <Skeleton rows={2} />}
      {grants?.length === 0 && <EmptyState text={applicationMessages.noGrants} />}
      {grants && grants.length > 0 && (
        <GrantsTable
          label={applicationMessages.grants}
          columns={applicationMessages.grantColumns}
          grants={grants}
          nameOf={({ user }) => user.name}
        />
      )}
    </section>
  )
}
