import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import {
  customFieldNames,
  getCachedTasks,
  useTasksRevision,
} from '../../../data/tasks/task-store.ts'
import { addDaysToDate, formatDay } from '../../../lib/dates/plain-date.ts'
import { uiMessages } from '../../../messages/app/ui.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { OptionList } from '../../../ui/overlays/option-list.tsx'
import type { PickerOption } from '../../../ui/overlays/picker-button.tsx'
import { filterOptions } from '../../../ui/overlays/picker-options.ts'
import {
  FILTER_PROPERTIES,
  getFilterRules,
  getPropertyName,
  getRangeType,
  isSetProperty,
  listFilterProperties,
  type RangeProperty,
  type SetProperty,
} from '../../property-definitions.ts'
import {
  memberOptions,
  priorityOptions,
  statusOptions,
  tagOptions,
} from '../commands/field-pickers.tsx'
import { useTextMatch } from '../grouping/use-text-match.ts'
import { type ProjectPageContext, useProjectPageContext } from '../project-page-context.ts'
import { useProjectView } from '../project-view.ts'
import { checkFilter, type FilterProblem, listPropertyWords } from './check-filter.ts'
import { formatClause, formatClauseValue } from './clause-labels.ts'
import { compileFilter } from './filter-query.ts'
import { listValues, resolveValue, toRangeValue } from './filter-values.ts'
import { addClause, type FilterClause, formatFilter, type ViewFilter } from './view-filter.ts'

const { properties } = projectViewMessages
const MAX_MATCHES = 12
const PROPERTY_WORDS = listPropertyWords()
const [status, assignee, , tag, due] = PROPERTY_WORDS
const { me, openStatuses } = filterMessages
const FILTER_EXAMPLE = `${status}:${openStatuses} ${assignee}:${me} ${due}:<7d -${tag}:infra`

/** What is edited: a condition of the filter by its index, all of it as text, or a new condition. */
export type EditedFilter = number | 'typed' | undefined

/** The property whose condition is edited, and the index of that in the filter, if it has one. */
interface EditedCondition {
  property: FilterClause['property']
  index: number
}

interface StepProps {
  close: () => void
  /** Ends every step: further ways to go on. */
  footer: ReactNode
}

/** Edits the filter in steps: a property, then how and with which values, or all of it as text. */
export function FilterEditor({ edited, close }: { edited: EditedFilter; close: () => void }) {
  const { view } = useProjectView()
  const [step, setStep] = useState<EditedCondition | 'typed' | undefined>(() => {
    const clause = typeof edited === 'number' ? view.filter[edited] : undefined
    return clause
      ? { property: clause.property, index: view.filter.indexOf(clause) }
      : edited === 'typed'
        ? edited
        : undefined
  })
  const onBack = () => setStep(undefined)
  const footer = (
    <Button kind="plain" onClick={() => setStep('typed')}>
      {filterMessages.advanced}
    </Button>
  )
  return (
    <div className="filter-pop">
      {step === 'typed' ? (
        <TypedStep {...{ close, onBack }} />
      ) : step ? (
        <ConditionStep {...step} {...{ close, footer, onBack }} />
      ) : (
        <PropertyStep {...{ close, footer }} onProperty={setStep} />
      )}
    </div>
  )
}

function PropertyStep({
  close,
  footer,
  onProperty,
}: StepProps & { onProperty: (condition: EditedCondition) => void }) {
  const context = useProjectPageContext()
  const { view, setView } = useProjectView()
  const [text, setText] = useState('')
  const { filter, problem } = checkFilter(text, context.filterContext)
  const conditions = filter ? matchConditions(context, text.trim(), filter) : []
  const choose = ({ id }: PickerOption) => {
    const condition = conditions.find(({ option }) => option.id === id)
    if (condition) {
      setView({ filter: condition.clauses.reduce(addClause, view.filter) })
      close()
      return
    }
    const property =
      listFilterProperties(customFieldNames.get()).find((one) => one === id) ?? 'text'
    // A set property has one condition; a date may have several, such as a beginning and an end.
    const isSingle = property === 'text' || isSetProperty(property)
    const index = isSingle ? view.filter.findIndex((one) => one.property === property) : -1
    onProperty({ property, index })
  }
  return (
    <>
      <OptionList
        label={filterMessages.add}
        placeholder={filterMessages.findProperty}
        text={text}
        onText={setText}
        options={[...matchProperties(text), ...conditions.map(({ option }) => option)]}
        initial={FILTER_PROPERTIES[0].id}
        onChoose={choose}
        empty={problem?.message}
      />
      <div className="acts filter-acts">{footer}</div>
    </>
  )
}

const matchProperties = (text: string): PickerOption[] =>
  filterOptions(
    [...listFilterProperties(customFieldNames.get()), 'text' as const].map((id) => ({
      id,
      label: getPropertyName(id),
      words: id,
    })),
    text,
  )

/**
 * What a typed text can mean: a value with this name, a due date, or the words; or, if it is a filter
 * itself, its conditions.
 */
function matchConditions(context: ProjectPageContext, text: string, typed: ViewFilter) {
  const { filterContext } = context
  const toCondition = (option: Omit<PickerOption, 'id'>, ...clauses: FilterClause[]) => ({
    clauses,
    // The words "due" are not the property of that name.
    option: { ...option, id: `=${formatFilter(clauses)}` },
  })
  if (text === '') return []
  if (typed.some(({ property }) => property !== 'text')) {
    const label = typed.map((clause) => formatClause(clause, filterContext)).join(', ')
    return [toCondition({ label }, ...typed)]
  }
  const values = listFilterProperties(customFieldNames.get()).flatMap((property) =>
    isSetProperty(property) && property !== 'parent'
      ? filterOptions(listOptions(context, property), text).map(({ id, hint: _, ...option }) =>
          toCondition(
            { ...option, hint: getPropertyName(property) },
            { property, not: false, values: [id] },
          ),
        )
      : [],
  )
  const toLabel = (value: string) => capitalize(formatClauseValue('due', value, filterContext))
  const dueOptions = listValues('due', filterContext).map((id) => ({ id, label: toLabel(id) }))
  const typedDue = toRangeValue('due', text, filterContext.today)
  const dueValues = new Set([
    ...(typedDue === undefined ? [] : [typedDue]),
    ...filterOptions(dueOptions, text).map(({ id }) => id),
  ])
  return [
    ...values.slice(0, MAX_MATCHES),
    ...[...dueValues].map((value) =>
      toCondition(
        { label: toLabel(value), hint: properties.due },
        { property: 'due', not: false, values: [value] },
      ),
    ),
    toCondition({ label: filterMessages.hasText(properties.text, text) }, toTextClause(text)),
  ]
}

/** Words that look like a condition are quoted, so that they stay words. */
const toTextClause = (text: string): FilterClause => ({
  property: 'text',
  not: false,
  values: [text.includes(':') ? `"${text.replaceAll('"', '')}"` : text],
})

interface ConditionStepProps extends EditedCondition, StepProps {
  onBack: () => void
}

type Operator = keyof typeof filterMessages.operators

const operatorsOf = (property: FilterClause['property']): readonly Operator[] => {
  if (property === 'text' || property === 'parent') return []
  if (isSetProperty(property)) return ['any', 'none']
  return OPERATORS[getRangeType(property)]
}

const OPERATORS = {
  day: ['on', 'before', 'after'],
  age: ['within', 'longer'],
  duration: ['on', 'below', 'above'],
} as const

const SIGNS: Partial<Record<Operator, string>> = {
  before: '<',
  after: '>',
  within: '<',
  longer: '>',
  below: '<',
  above: '>',
}

function initialOperator(operators: readonly Operator[], clause: FilterClause | undefined) {
  if (clause?.not) return 'none'
  const [value = ''] = clause?.values ?? []
  // "Within 7 days" is one of the values of "is".
  if (operators.includes('on') && /[dw]$/.test(value)) return 'on'
  return operators.find((one) => SIGNS[one] === value[0]) ?? operators[0]
}

/** How and with which values a property filters; what is chosen is applied at once. */
function ConditionStep({ property, index, close, footer, onBack }: ConditionStepProps) {
  const { filterContext } = useProjectPageContext()
  const { view, setView } = useProjectView()
  const [{ clause, rest, position }] = useState(() => ({
    clause: view.filter[index],
    rest: view.filter.filter((_, at) => at !== index),
    position: index < 0 ? view.filter.length : index,
  }))
  const operators = operatorsOf(property)
  const [operator, setOperator] = useState(() => initialOperator(operators, clause))
  const [values, setValues] = useState<readonly string[]>(() =>
    isSetProperty(property)
      ? toListedValues(property, clause?.values ?? [], filterContext)
      : (clause?.values ?? []),
  )
  const isApplied = useRef(false)
  /** The address at which the condition lost its last value. */
  const emptiedAt = useRef<string>(undefined)
  const apply = (next: readonly string[], by = operator) => {
    setValues(next)
    emptiedAt.current = next.length === 0 ? location.href : undefined
    if (next.length === 0) return
    const changed = toClause(property, by === 'none', next)
    // The steps of one edit are one entry of the history.
    setView({ filter: rest.toSpliced(position, 0, changed) }, isApplied.current)
    isApplied.current = true
  }
  const removeIfEmpty = useRef(() => {})
  useEffect(() => {
    removeIfEmpty.current = () => {
      // Not before: the chip that this editor stands beside would go. Nor if the person has gone back.
      if (emptiedAt.current === location.href) setView({ filter: rest })
    }
  })
  useEffect(() => () => removeIfEmpty.current(), [])
  const pick = (value: string) => {
    apply([value])
    close()
  }
  return (
    <>
      <header className="filter-head">
        <IconButton icon="left" label={filterMessages.properties} onClick={onBack} />
        <b>{getPropertyName(property)}</b>
        {operators.length > 1 && (
          <select
            className="field"
            aria-label={filterMessages.operator}
            value={operator}
            onChange={({ target }) => {
              const next = operators.find((one) => one === target.value) ?? operators[0]
              setOperator(next)
              if (isSetProperty(property)) apply(values, next)
            }}
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {filterMessages.operators[one]}
              </option>
            ))}
          </select>
        )}
      </header>
      {property === 'text' ? (
        <WordsField words={values[0] ?? ''} onPick={pick} onBack={onBack} />
      ) : isSetProperty(property) ? (
        <ValueList {...{ property, values, rest, onBack }} onChange={apply} />
      ) : (
        <DateList {...{ property, operator, values, rest, onBack }} onPick={pick} />
      )}
      <div className="acts filter-acts">
        {footer}
        <Button kind="primary" onClick={close}>
          {uiMessages.done}
        </Button>
      </div>
    </>
  )
}

const toClause = (
  property: FilterClause['property'],
  not: boolean,
  values: readonly string[],
): FilterClause => (property === 'text' ? toTextClause(values[0] ?? '') : { property, not, values })

interface ValueListProps {
  property: SetProperty
  values: readonly string[]
  rest: ViewFilter
  onChange: (values: readonly string[]) => void
  onBack: () => void
}

/** The values of a set property, each with the number of tasks that have it. */
function ValueList({ property, values, rest, onChange, onBack }: ValueListProps) {
  const context = useProjectPageContext()
  const { filterContext } = context
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(values[0])
  const tasks = useMatchingTasks(rest)
  const counts = useMemo(() => {
    const byKey = new Map<string, number>()
    const keysOf = getFilterRules(property)?.keysOf
    for (const task of tasks)
      for (const key of keysOf?.(task) ?? []) byKey.set(key, (byKey.get(key) ?? 0) + 1)
    return byKey
  }, [tasks, property])
  const options = listOptions(context, property, values).map((option) => {
    const keys = resolveValue(property, option.id, filterContext)
    const count = keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0)
    return { ...option, hint: formatNumber(count) }
  })
  // Not by their hints, which are numbers of tasks.
  const named = options.map(({ hint: _, ...option }) => option)
  const ids = new Set(filterOptions(named, text).map(({ id }) => id))
  const matches = options.filter(({ id }) => ids.has(id))
  return (
    <OptionList
      label={getPropertyName(property)}
      placeholder={uiMessages.find}
      text={text}
      onText={setText}
      options={matches}
      checked={values}
      several
      initial={chosen ?? matches[0]?.id}
      onChoose={({ id }) => {
        setChosen(id)
        onChange(values.includes(id) ? values.filter((one) => one !== id) : [...values, id])
        setText('')
      }}
      onBack={onBack}
      empty={uiMessages.nothingFound}
    />
  )
}

interface DateListProps {
  property: RangeProperty
  operator: Operator | undefined
  values: readonly string[]
  rest: ViewFilter
  onPick: (value: string) => void
  onBack: () => void
}

const DAYS_AHEAD = [0, 1, 7, 14, 30]
const AGES = [1, 7, 14, 30, 90]
const DURATIONS = ['30m', '1h', '2h', '4h', '8h', '16h']

/** The usual values of a property with a range, and the one that somebody types. */
function DateList({ property, operator, values, rest, onPick, onBack }: DateListProps) {
  const { filterContext } = useProjectPageContext()
  const { today } = filterContext
  const [text, setText] = useState('')
  const tasks = useMatchingTasks(rest)
  const sign = (operator && SIGNS[operator]) ?? ''
  const type = getRangeType(property)
  const usual = {
    day: DAYS_AHEAD.map((days) => addDaysToDate(today, days)),
    age: AGES.map((days) => `${days}d`),
    duration: DURATIONS,
  }[type].map((value) => `${sign}${value}`)
  const listed =
    sign !== ''
      ? usual
      : listValues(property, filterContext).filter((one) => type === 'day' || !/^[<>]/.test(one))
  const typed = text.trim() === '' ? undefined : toRangeValue(property, `${sign}${text}`, today)
  const current = values.filter((value) => value.startsWith(sign))
  const toOption = (value: string): PickerOption => {
    const clause = { property, not: false, values: [value] }
    return {
      id: value,
      label: capitalize(
        type === 'day' && sign !== ''
          ? formatDay(value.slice(1), 'long')
          : formatClauseValue(property, value, filterContext),
      ),
      hint: formatNumber(tasks.filter(compileFilter([clause], filterContext)).length),
    }
  }
  const options = [...new Set([...current, ...listed])].map(toOption)
  const found = options.filter(({ id, label }) => filterOptions([{ id, label }], text).length > 0)
  const shown =
    typed === undefined || found.some(({ id }) => id === typed)
      ? found
      : [toOption(typed), ...found]
  return (
    <OptionList
      label={getPropertyName(property)}
      placeholder={filterMessages.findValue[type]}
      text={text}
      onText={setText}
      options={shown}
      checked={values}
      initial={shown[0]?.id}
      onChoose={({ id }) => onPick(id)}
      onBack={onBack}
      empty={type === 'duration' ? filterMessages.noDuration : filterMessages.noDate}
    />
  )
}

interface WordsFieldProps {
  words: string
  onPick: (words: string) => void
  onBack: () => void
}

function WordsField({ words, onPick, onBack }: WordsFieldProps) {
  const [text, setText] = useState(words)
  const id = text.trim()
  return (
    <OptionList
      label={filterMessages.has(properties.text)}
      placeholder={filterMessages.findText}
      text={text}
      onText={setText}
      options={id === '' ? [] : [{ id, label: filterMessages.hasText(properties.text, id) }]}
      onChoose={({ id }) => onPick(id)}
      onBack={onBack}
      empty={filterMessages.findText}
    />
  )
}

/** The whole filter as text; what is wrong in it is said and selected. */
function TypedStep({ close, onBack }: { close: () => void; onBack: () => void }) {
  const { filterContext } = useProjectPageContext()
  const { view, setView } = useProjectView()
  const [text, setText] = useState(() => formatFilter(view.filter))
  const [problem, setProblem] = useState<FilterProblem>()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (problem) field.current?.setSelectionRange(problem.start, problem.end)
  }, [problem])
  const apply = () => {
    const checked = checkFilter(text, filterContext)
    setProblem(checked.problem)
    if (!checked.filter) return field.current?.focus()
    setView({ filter: checked.filter })
    close()
  }
  return (
    <>
      <header className="filter-head">
        <IconButton icon="left" label={filterMessages.properties} onClick={onBack} />
        <b>{filterMessages.typed}</b>
      </header>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to type here
        autoFocus
        ref={field}
        className="field"
        rows={3}
        aria-label={filterMessages.typed}
        aria-invalid={problem !== undefined}
        placeholder={FILTER_EXAMPLE}
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setProblem(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          apply()
        }}
      />
      {problem && (
        <p className="error" role="alert">
          {problem.message}
        </p>
      )}
      <div className="acts filter-acts">
        <small>{filterMessages.typedHelp(PROPERTY_WORDS.join(', '))}</small>
        <Button kind="primary" onClick={apply}>
          {filterMessages.apply}
        </Button>
      </div>
    </>
  )
}

/** The tasks of the page that match a filter, with all local changes. */
function useMatchingTasks(filter: ViewFilter) {
  const { project, includes, filterContext } = useProjectPageContext()
  const revision = useTasksRevision()
  const { matches } = useTextMatch(project?.id, filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks may match or not match since
  return useMemo(() => {
    const isMatch = compileFilter(filter, filterContext, matches)
    return getCachedTasks().filter((task) => includes(task) && isMatch(task))
  }, [filter, filterContext, includes, matches, revision])
}

/** The values of a property to choose from, and those of a condition that are no longer among them. */
function listOptions(
  context: ProjectPageContext,
  property: SetProperty,
  chosen: readonly string[] = [],
): PickerOption[] {
  const { filterContext } = context
  const marks: Partial<Record<SetProperty, () => PickerOption[]>> = {
    status: () => statusOptions(context.statuses),
    priority: priorityOptions,
    tag: () => tagOptions(context.tags),
    assignee: () => memberOptions(context),
    creator: () => memberOptions(context),
  }
  const marked = marks[property]?.() ?? []
  const isMe = (value: string) => resolveValue(property, value, filterContext).join() === context.me
  // "Me" is enough, unless the condition has the name: for others it means another person.
  const listed = listValues(property, filterContext).filter(
    (value) => value === 'me' || !isMe(value),
  )
  return [...new Set([...listed, ...chosen])].map((value) => {
    const keys = resolveValue(property, value, filterContext)
    const mark = keys.length === 1 && marked.find(({ id }) => id === keys[0])?.mark
    const label = formatClauseValue(property, value, filterContext)
    const isName = mark && value !== 'me'
    return {
      id: value,
      label: isName ? label : capitalize(label),
      ...(mark && { mark }),
      ...(value === 'me' && { words: context.nameOf(context.me) }),
    }
  })
}

/** The values of a condition as the list offers them, however they were typed. */
function toListedValues(
  property: SetProperty,
  values: readonly string[],
  meaning: ProjectPageContext['filterContext'],
): readonly string[] {
  const listed = listValues(property, meaning)
  const keysOf = (value: string) => resolveValue(property, value, meaning).join()
  return values.map(
    (value) =>
      listed.find((one) => one === value) ??
      listed.find((one) => keysOf(value) !== '' && keysOf(one) === keysOf(value)) ??
      value,
  )
}

const capitalize = (text: string): string => `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}`
