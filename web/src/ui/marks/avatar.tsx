import { getInitials } from '../../lib/text/initials.ts'
import { uiMessages } from '../../messages/app/ui.ts'

interface AvatarProps {
  name: string
  /** Whether this is the viewer, shown in the accent colour. */
  me?: boolean
  /** Shows the name beside the initials. */
  named?: boolean
}

/** A person's initials; there are no pictures, because none are loaded from other hosts. */
export function Avatar({ name, me, named }: AvatarProps) {
  return (
    <>
      <span className={me ? 'who me' : 'who'} title={name}>
        {/* Drawn by CSS, so that the name of a button around it contains the full name only. */}
        <span aria-hidden="true" data-initials={getInitials(name)} />
        {!named && <span className="sr">{name}</span>}
      </span>
      {named && <span className="who-name">{name}</span>}
    </>
  )
}

/** Up to `most` avatars; the last one counts the remaining people. */
export function AvatarGroup({
  people,
  most = 3,
}: {
  people: readonly AvatarPerson[]
  most?: number
}) {
  const shown = people.length > most ? people.slice(0, most - 1) : people
  const rest = people.slice(shown.length)
  return (
    <span className="whos">
      {shown.map(({ id, name, me }) => (
        <Avatar key={id} name={name} me={me ?? false} />
      ))}
      {rest.length > 0 && (
        <span className="who" title={rest.map(({ name }) => name).join(', ')}>
          <span aria-hidden="true">{uiMessages.more(rest.length)}</span>
          <span className="sr">{uiMessages.morePeople(rest.length)}</span>
        </span>
      )}
    </span>
  )
}

interface AvatarPerson {
  id: string
  name: string
  me?: boolean
}
