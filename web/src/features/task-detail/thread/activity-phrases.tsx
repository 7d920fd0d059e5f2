import { Fragment } from 'react'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import type { ActivityPhrase } from './describe-changes.ts'

/** Phrases in one line, each with the values before and after. */
export const ActivityPhrases = ({ phrases }: { phrases: readonly ActivityPhrase[] }) =>
  phrases.map((phrase, index) => (
    <Fragment key={`${phrase.verb} ${phrase.to ?? ''}`}>
      {index > 0 && ', '}
      <PhraseText phrase={phrase} />
    </Fragment>
  ))

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
