import { Fragment } from 'react'
import { useBoot } from '../../data/boot.ts'
import { withNames } from '../../lib/mentions.ts'
import { m } from '../../messages/search.ts'
import type { Hit } from './found.ts'

/** Around what was found, and where that stands; of a title it is the title itself. */
export function SnippetLine({ where, snippet }: Hit) {
  if (!snippet || !where || where === 'title' || where === 'short_id') return null
  return (
    <span className="snippet">
      <span className="quiet">{m.where[where]}</span> <Marked {...snippet} />
    </span>
  )
}

/** A plain text with some parts of it marked. */
export function Marked({ text, ranges }: NonNullable<Hit['snippet']>) {
  const { members } = useBoot()
  const ends = [0, ...ranges.map(([, to]) => to)]
  const plain = (from: number, to?: number) => withNames(text.slice(from, to), members)
  return (
    <>
      {ranges.map(([from, to], at) => (
        <Fragment key={from}>
          {plain(ends[at] ?? 0, from)}
          <mark>{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {plain(ends.at(-1) ?? 0)}
    </>
  )
}
