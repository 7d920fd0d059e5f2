import type { Interaction } from '#accounts/oauth-consent/contract.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { parseUrl } from '../../lib/text/parse-url.ts'
import { consentMessages } from '../../messages/accounts/consent.ts'
import { FormLine } from '../../ui/form/form-field.tsx'
import { parseRedirectTarget } from './redirect-target.ts'
import { groupScopes, hasDeleteScope, type ScopeGroup } from './scope-groups.ts'

/** The application as it was registered; nobody has verified its claims about itself. */
export function RequestingApplication({ application }: Pick<Interaction, 'application'>) {
  const { name, description, homepage_url } = application
  const homepage = homepage_url === null ? undefined : parseUrl(homepage_url)
  useTitle(consentMessages.asks(name))
  return (
    <div className="line">
      <span className="gut">{consentMessages.app}</span>
      <div className="asker">
        <h1>{consentMessages.asks(name)}</h1>
        <p className="quiet">
          {homepage ? consentMessages.from : consentMessages.noHomepage}
          {homepage && (
            <a href={homepage.href} target="_blank" rel="noopener noreferrer nofollow">
              {homepage.host}
            </a>
          )}
        </p>
        {description && <p className="why">{description}</p>}
      </div>
    </div>
  )
}

/** The scopes that the application requests, as sentences by resource. */
export function RequestedScopes({ scopes }: Pick<Interaction, 'scopes'>) {
  const { usual, grave } = groupScopes(scopes)
  return (
    <>
      {usual.length > 0 && (
        <ScopeGroups title={consentMessages.may} groups={usual} className="scopes" />
      )}
      {grave.length > 0 && (
        <ScopeGroups title={consentMessages.grave} groups={grave} className="scopes grave" />
      )}
    </>
  )
}

interface ScopeGroupsProps {
  title: string
  groups: readonly ScopeGroup[]
  className: string
}

const ScopeGroups = ({ title, groups, className }: ScopeGroupsProps) => (
  <section aria-label={title}>
    <FormLine>
      <h2>{title}</h2>
    </FormLine>
    <ul className={className}>
      {groups.map(({ resource, sentences }) => (
        <li key={resource} className="line">
          <span className="gut">{consentMessages.resources[resource] ?? resource}</span>
          <div>
            {sentences.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </div>
        </li>
      ))}
    </ul>
  </section>
)

/**
 * The limits that hold for every application. Deletion is one of them only where the application
 * does not request it.
 */
export function ConsentLimits({
  scopes,
  workspace,
}: Pick<Interaction, 'scopes'> & { workspace: string }) {
  const { password, elsewhere, rights, settings, delete: deleting } = consentMessages.nevers
  const sentences = [password, elsewhere(workspace), rights, settings]
  if (!hasDeleteScope(scopes)) sentences.push(deleting)
  return (
    <section aria-label={consentMessages.never}>
      <FormLine>
        <h2>{consentMessages.never}</h2>
        <ul className="nevers">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </FormLine>
    </section>
  )
}

const LABEL_BY_KIND = {
  web: consentMessages.goesTo,
  here: consentMessages.goesHere,
  app: consentMessages.goesToApp,
}

/** The redirect URI that receives the answer, allowed or denied. */
export function RedirectDestination({ uri }: { uri: string }) {
  const { kind, name } = parseRedirectTarget(uri)
  return (
    <div className="line">
      <span className="gut">{consentMessages.next}</span>
      <p className="quiet" title={uri}>
        {LABEL_BY_KIND[kind]}
        <span className="mono">{name}</span>
      </p>
    </div>
  )
}
