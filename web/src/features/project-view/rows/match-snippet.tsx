import { Fragment } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { mentionIdsToNames } from '../../../lib/markdown/mentions.ts'
import { searchMessages } from '../../../messages/app/search.ts'
import type { TaskMatch } from '../grouping/use-found-tasks.ts'

/** A title with the words that were searched for. If it has changed since, its text stands alone. */
export const MatchedTitle = ({ title, where, snippet }: TaskMatch & { title: string }) =>
  where === 'title' && snippet?.text === title ? <HighlightedText {...snippet} /> : title

/** The text around a match, and where it was found. A match in the title needs no snippet. */
export function MatchSnippet({ where, snippet }: TaskMatch) {
  if (!snippet || !where || where === 'title' || where === 'short_id') return null
  return (
    <span className="snippet clip">
      <span className="quiet">{searchMessages.where[where]}</span> <HighlightedText {...snippet} />
    </span>
  )
}

/** A plain text with some ranges highlighted. */
function HighlightedText({ text, ranges }: NonNullable<TaskMatch['snippet']>) {
  const { members } = useBoot('members')
  const ends = [0, ...ranges.map(([, to]) => to)]
  const plain = (from: number, to?: number) => mentionIdsToNames(text.slice(from, to), members)
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
