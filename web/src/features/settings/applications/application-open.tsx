import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Application } from '#resources/applications/internal.ts'
import { m } from '../../../messages/applications.ts'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { rotate } from './acts.ts'
import { openApplicationForm } from './application-form.tsx'
import { commandsFor, endpointsAt } from './connect.ts'
import { GrantsTable } from './grants-table.tsx'
import { authorizationsQuery } from './queries.ts'
import { scopeWords } from './scope-words.ts'

interface Props {
  application: Application
  onSecret: (application: Application, secret: string) => void
}

/** How an application connects, and who allows it what here. */
export function ApplicationOpen({ application, onSecret }: Props) {
  const { id, name, type, redirect_uris, scopes } = application
  const endpoints = endpointsAt(location.origin)
  const commands = commandsFor(application, location.origin)
  return (
    <>
      <section aria-label={m.connect(name)}>
        <Band
          title={m.connect(name)}
          acts={
            <>
              <Button onClick={() => openApplicationForm(application)}>{m.edit}</Button>
              <Button
                reason={type === 'public' ? m.isPublic : undefined}
                onClick={() => rotate(application, onSecret)}
              >
                {m.rotate}
              </Button>
            </>
          }
        />
        <div className="sheet-form connect">
          <Fact word={m.clientId}>
            <div className="acts">
              <code>{id}</code>
              <Copy text={id}>{m.copyId}</Copy>
            </div>
          </Fact>
          <Fact word={m.redirects}>
            {redirect_uris.map((uri) => (
              <p key={uri}>
                <code>{uri}</code>
              </p>
            ))}
          </Fact>
          <Fact word={m.scopes}>{scopeWords(scopes)}</Fact>
          {(['authorize', 'token', 'metadata'] as const).map((which) => (
            <Fact key={which} word={m[which]}>
              <code>{endpoints[which]}</code>
            </Fact>
          ))}
          <Fact word={m.example}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
            <pre className="code" tabIndex={0}>
              {commands}
            </pre>
            <Copy text={commands}>{m.copyExample}</Copy>
          </Fact>
        </div>
      </section>
      <Authorizations id={id} />
    </>
  )
}

const Fact = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className="line">
    <span className="gut word">{word}</span>
    <div>{children}</div>
  </div>
)

function Authorizations({ id }: { id: string }) {
  const { data: grants, error, refetch } = useQuery(authorizationsQuery(id))
  return (
    <section aria-label={m.grants}>
      <Band title={m.grants} count={grants?.length} />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!grants && !error && <Skeleton rows={2} />}
      {grants?.length === 0 && <Empty text={m.noGrants} />}
      {grants && grants.length > 0 && (
        <GrantsTable
          label={m.grants}
          columns={m.grantColumns}
          grants={grants}
          nameOf={({ user }) => user.name}
        />
      )}
    </section>
  )
}
