import { m } from '../messages/ui.ts'

interface Props {
  name: string
  /** The viewer: in accent. */
  me?: boolean
  /** Writes the name beside the box, too. */
  named?: boolean
}

/** A person as typed initials; pictures of other hosts are not loaded. */
export function Person({ name, me, named }: Props) {
  return (
    <>
      <span className={me ? 'who me' : 'who'} title={name}>
        {/* Drawn, not written: the name is the text, also of a button that the person stands in. */}
        <span aria-hidden="true" data-initials={initials(name)} />
        {!named && <span className="sr">{name}</span>}
      </span>
      {named && <span className="who-name">{name}</span>}
    </>
  )
}

/** Several people, and how many more than `most`. */
export function People({ people, most = 3 }: { people: readonly OnePerson[]; most?: number }) {
  const shown = people.length > most ? people.slice(0, most - 1) : people
  const rest = people.slice(shown.length)
  return (
    <span className="whos">
      {shown.map(({ id, name, me }) => (
        <Person key={id} name={name} me={me ?? false} />
      ))}
      {rest.length > 0 && (
        <span className="who" title={rest.map(({ name }) => name).join(', ')}>
          <span aria-hidden="true">{m.more(rest.length)}</span>
          <span className="sr">{m.morePeople(rest.length)}</span>
        </span>
      )}
    </span>
  )
}

export interface OnePerson {
  id: string
  name: string
  me?: boolean
}

/** First letters of the first and the last word: "Tomás Rivera" is TR. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}
