import type { ReactNode } from 'react'
import type { Interaction } from '#consent/contract.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/consent.ts'
import { FormLine } from '../../ui/field.tsx'
import { deletes, type Group, sorted } from './asked.ts'
import { placeOf } from './place.ts'

/** A word in the gutter, and what it is about. */
export const WordLine = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className="line">
    <span className="gut word">{word}</span>
    <div>{children}</div>
  </div>
)

/** The application, as it was registered: nobody has looked whether what it says of itself is true. */
export function Asker({ application }: Pick<Interaction, 'application'>) {
  const { name, description, homepage_url } = application
  const home = homepage_url === null ? undefined : URL.parse(homepage_url)
  useTitle(m.asks(name))
  return (
    <div className="line">
      <span className="gut">{m.app}</span>
      <div className="asker">
        <h1>{m.asks(name)}</h1>
        <p className="quiet">
          {home ? m.from : m.homeless}
          {home && (
            <a href={home.href} target="_blank" rel="noopener noreferrer nofollow">
              {home.host}
            </a>
          )}
        </p>
        {description && <p className="why">{description}</p>}
      </div>
    </div>
  )
}

/** What it asks for, in sentences by kind of record. */
export function Scopes({ scopes }: Pick<Interaction, 'scopes'>) {
  const { usual, grave } = sorted(scopes)
  return (
    <>
      {usual.length > 0 && <Groups title={m.may} groups={usual} className="scopes" />}
      {grave.length > 0 && <Groups title={m.grave} groups={grave} className="scopes grave" />}
    </>
  )
}

interface GroupsProps {
  title: string
  groups: readonly Group[]
  className: string
}

const Groups = ({ title, groups, className }: GroupsProps) => (
  <section aria-label={title}>
    <FormLine>
      <h2>{title}</h2>
    </FormLine>
    <ul className={className}>
      {groups.map(({ resource, sentences }) => (
        <li key={resource} className="line">
          <span className="gut">{m.resources[resource] ?? resource}</span>
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

/** What it cannot do whatever is allowed here; deleting only where it is not asked for. */
export function Nevers({ scopes, workspace }: Pick<Interaction, 'scopes'> & { workspace: string }) {
  const { password, elsewhere, rights, settings, delete: deleting } = m.nevers
  const sentences = [password, elsewhere(workspace), rights, settings]
  if (!deletes(scopes)) sentences.push(deleting)
  return (
    <section aria-label={m.never}>
      <FormLine>
        <h2>{m.never}</h2>
        <ul className="nevers">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </FormLine>
    </section>
  )
}

const GOES = { web: m.goesTo, here: m.goesHere, app: m.goesToApp }

/** Where the browser goes with the answer, whatever it is. */
export function Destination({ uri }: { uri: string }) {
  const { kind, name } = placeOf(uri)
  return (
    <div className="line">
      <span className="gut">{m.next}</span>
      <p className="quiet" title={uri}>
        {GOES[kind]}
        <span className="mono">{name}</span>
      </p>
    </div>
  )
}
