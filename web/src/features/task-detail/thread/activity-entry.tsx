import { Fragment } from 'react'
import type { Activity } from '../../../data/resources/activity.ts'
import { activityMessages as words } from '../../../messages/tasks/activity.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { useNameLookup } from '../formatting/use-name-lookup.ts'
import { type ActivityPhrase, describeChanges } from './describe-changes.ts'

/** One change: its author, API key or application, and the values before and after. */
export function ActivityEntry({ activity }: { activity: Activity }) {
  const names = useNameLookup()
  const { at, actor } = activity
  const phrases = getPhrases(activity, names)
  return (
    <div className="line entry">
      <span className="gut">
        <FormattedInstant at={at} style="gutter" />
      </span>
      <p>
        <strong>{actor.name ?? taskDetailMessages.somebody}</strong>{' '}
        {actor.credential_name && (
          <>
            {actor.type === 'app' ? taskDetailMessages.byApp : taskDetailMessages.byKey}{' '}
            <span className="mono">{actor.credential_name}</span>{' '}
          </>
        )}
        {phrases.map((phrase, index) => (
          <Fragment key={`${phrase.verb} ${phrase.to ?? ''}`}>
            {index > 0 && ', '}
            <PhraseText phrase={phrase} />
          </Fragment>
        ))}
      </p>
    </div>
  )
}

const PhraseText = ({ phrase: { verb, from, to } }: { phrase: ActivityPhrase }) => (
  <>
    {verb}
    {from !== undefined && (
      <>
        {' '}
        {from} <Icon name="arrow" label={taskDetailMessages.becomes} />
      </>
    )}
    {to !== undefined && ` ${to}`}
  </>
)

function getPhrases(
  { kind, changes }: Activity,
  names: ReturnType<typeof useNameLookup>,
): ActivityPhrase[] {
  const verb = words.kinds[kind]
  if (kind === 'attachment_deleted') {
    return [{ verb: words.kinds[kind] ?? kind, to: String(changes.filename?.from ?? '') }]
  }
  const fieldPhrases = describeChanges(changes, names)
  // "Moved To do → Done" would repeat what "completed it" says already.
  if (verb !== undefined)
    return [{ verb }, ...fieldPhrases.filter(({ verb: one }) => one !== words.moved)]
  return fieldPhrases.length > 0 ? fieldPhrases : [{ verb: words.other(kind) }]
}
