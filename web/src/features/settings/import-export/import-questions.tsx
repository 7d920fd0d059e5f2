import { Fragment, type ReactNode } from 'react'
import type { Import } from '#resources/imports/internal.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { ChoiceField, type Choices, toOptions } from './choice-field.tsx'
import { saveImportMapping } from './import-queries.ts'

const { steps, questions } = transferMessages

/**
 * Asks what the file leaves open: where its tasks go, how its dates are read, and what the names mean
 * that Docket does not know. What it has recognized is folded, and can be changed there.
 */
export function ImportQuestions({ item }: { item: Import }) {
  const names = [...item.statuses, ...item.people, ...item.priorities]
  const known = names.filter(({ is_known }) => is_known)
  return (
    <section aria-label={steps.questions}>
      <SectionHeader count={item.kind === 'csv' ? 4 : 3} title={steps.questions} />
      <ProjectQuestion item={item} />
      <DateOrderQuestion item={item} />
      <NameQuestions item={item} />
      {known.length > 0 && (
        <details className="disclosure">
          <summary className="line">
            <span className="gut">{known.length}</span>
            <span>
              {transferMessages.recognized} <Icon name="down" />
            </span>
          </summary>
          <NameQuestions item={item} isKnown />
        </details>
      )}
    </section>
  )
}

function ProjectQuestion({ item }: { item: Import }) {
  const { id, projects } = item
  const active = useBoot('projects').projects.filter(({ status }) => status === 'active')
  return (
    <NameQuestion
      title={questions.projects.title}
      question={questions.projects.question}
      entries={projects.map(({ project_id, ...entry }) => ({
        ...entry,
        // One that has been archived since it was chosen takes no tasks.
        value: active.find((project) => project.id === project_id)?.id ?? '',
      }))}
      options={[
        { value: '', label: transferMessages.newProject },
        ...active.map((project) => ({ value: project.id, label: project.name })),
      ]}
      onChoose={(name, value) =>
        saveImportMapping(id, () => ({ projects: [{ name, project_id: value || null }] }))
      }
      renderBelow={({ name, value }) =>
        value === '' && <NewProjectName key={`${id} ${name}`} item={item} name={name} />
      }
    />
  )
}

/** The name of a project that the import makes: that in the file or of the file, until it is changed. */
function NewProjectName({ item, name }: { item: Import; name: string }) {
  const saved = item.projects.find((one) => one.name === name)?.new_name
  const current = saved ?? (name.trim() || item.filename.replace(/(?<=.)\.[^.]*$/, ''))
  const save = (typed: string) => {
    const new_name = typed.trim()
    if (new_name === '' || new_name === current) return
    const choice = { name, project_id: null, new_name }
    void saveImportMapping(item.id, () => ({ projects: [choice] }))
  }
  return (
    <TextField
      label=""
      aria-label={transferMessages.newProjectName}
      beside={<span className="mapped">{transferMessages.newProjectName}</span>}
      name="new_name"
      defaultValue={current.slice(0, MAX_PROJECT_NAME_LENGTH)}
      maxLength={MAX_PROJECT_NAME_LENGTH}
      onBlur={({ target }) => save(target.value)}
    />
  )
}

const MAX_PROJECT_NAME_LENGTH = 100

const DATE_ORDERS = { day_first: '31/12/2026', month_first: '12/31/2026' }

/** Asks whether 3/4/2026 is in March or April, if the file does not show it. */
function DateOrderQuestion({ item: { id, date_order } }: { item: Import }) {
  if (!date_order) return null
  const { order, count, example } = date_order
  return (
    <section aria-label={questions.dates.title} className="question">
      <QuestionTitle>{questions.dates.question(example)}</QuestionTitle>
      <ChoiceField
        label={String(count)}
        aria-label={questions.dates.title}
        name="date_order"
        value={order}
        options={toOptions(DATE_ORDERS).map(({ value, label }) => ({
          value,
          label: `${transferMessages.dateOrders[value]}: ${label}`,
        }))}
        beside={
          <span className="mapped">
            <b>{example}</b>
          </span>
        }
        onChoose={(chosen) => saveImportMapping(id, () => ({ date_order: chosen }))}
      />
    </section>
  )
}

/** The names in the file that Docket knows, or those that it does not. */
function NameQuestions({
  item: { id, statuses, people, priorities },
  isKnown = false,
}: {
  item: Import
  isKnown?: boolean
}) {
  const { members } = useBoot('members')
  const isListed = (entry: { is_known: boolean }) => entry.is_known === isKnown
  const words = (group: { title: string; question: string }) =>
    isKnown ? { title: group.title } : group
  return (
    <>
      <NameQuestion
        {...words(questions.people)}
        entries={people
          .filter(isListed)
          .map(({ user_id, ...entry }) => ({ ...entry, value: user_id ?? '' }))}
        options={[
          { value: '', label: transferMessages.nobody },
          ...members.map((member) => ({ value: member.id, label: member.name })),
        ]}
        onChoose={(name, value) =>
          saveImportMapping(id, () => ({ people: [{ name, user_id: value || null }] }))
        }
      />
      <NameQuestion
        {...words(questions.statuses)}
        entries={statuses
          .filter(isListed)
          .map(({ category, ...entry }) => ({ ...entry, value: category }))}
        options={toOptions(transferMessages.categories)}
        onChoose={(name, category) =>
          saveImportMapping(id, () => ({ statuses: [{ name, category }] }))
        }
      />
      <NameQuestion
        {...words(questions.priorities)}
        entries={priorities
          .filter(isListed)
          .map(({ priority, ...entry }) => ({ ...entry, value: priority }))}
        options={toOptions(projectViewMessages.priorities)}
        onChoose={(name, priority) =>
          saveImportMapping(id, () => ({ priorities: [{ name, priority }] }))
        }
      />
    </>
  )
}

interface NameQuestionProps<V extends string> {
  title: string
  question?: string
  entries: readonly { name: string; count: number; example: string; value: NoInfer<V> }[]
  options: Choices<V>['options']
  onChoose: (name: string, value: V) => unknown
  /** What a choice leads to, below it. */
  renderBelow?: (entry: { name: string; value: V }) => ReactNode
}

/** Asks of each name what it means, with how often it stands in the file and in which task first. */
function NameQuestion<V extends string>(props: NameQuestionProps<V>) {
  const { title, question = title, entries, options, onChoose, renderBelow } = props
  if (entries.length === 0) return null
  return (
    <section aria-label={title} className="question">
      <QuestionTitle>{question}</QuestionTitle>
      {entries.map(({ name, count, example, value }) => (
        <Fragment key={name}>
          <ChoiceField
            label={String(count)}
            name={name}
            aria-label={name || transferMessages.allTasks}
            value={value}
            options={options}
            beside={
              <span className="mapped">
                <b>{name || transferMessages.allTasks}</b>
                {name !== '' && <small className="hint">{transferMessages.usedIn(example)}</small>}
              </span>
            }
            onChoose={(chosen) => onChoose(name, chosen)}
          />
          {renderBelow?.({ name, value })}
        </Fragment>
      ))}
    </section>
  )
}

const QuestionTitle = ({ children }: { children: string }) => (
  <FormLine>
    <h3>{children}</h3>
  </FormLine>
)
