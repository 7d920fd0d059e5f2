import { Fragment } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { mentionIdsToNames } from '../../../lib/markdown/mentions.ts'
import { searchMessages } from '../../../messages/app/search.ts'
import type { TaskMatch } from '../grouping/use-found-tasks.ts'

/** A title with the words that were searched for. If it has changed since, its text stands alone. */
export const MatchedTitle = ({ title, where, snippet }: TaskMatch & { title: string }) =>
  where === 'title' && snippet?.text === title ? <HighlightedText {...snippet} /> : title

type MatchContext = NonNullable<TaskMatch['snippet']>

/** The text around a match; that of a comment says so. A match in the title needs no snippet. */
export function MatchSnippet({ where, snippet }: TaskMatch) {
  if (!snippet || !where || where === 'title' || where === 'short_id') return null
  return (
    <span className="snippet clip">
      <span className={where === 'comment' ? 'quiet' : 'sr'}>{searchMessages.where[where]}</span>{' '}
      <HighlightedText {...startNearMatch(snippet)} />
    </span>
  )
}

const MAX_LEAD = 12

/** A row has little room: the snippet begins at a word not far before the first match. */
function startNearMatch({ text, ranges }: MatchContext): MatchContext {
  const match = ranges[0]?.[0] ?? 0
  if (match <= MAX_LEAD) return { text, ranges }
  const cut = Math.min(text.indexOf(' ', match - MAX_LEAD) + 1 || match, match)
  const move = (at: number) => at - cut + 1
  return {
    text: `…${text.slice(cut)}`,
    ranges: ranges.map(([from, to]): [number, number] => [move(from), move(to)]),
  }
}

/** A plain text with some ranges highlighted. */
function HighlightedText({ text, ranges }: MatchContext) {
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
