import { useTags } from '../../data/resources/tags.ts'
import { useBoot } from '../../data/session/boot.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { Avatar } from '../../ui/marks/avatar.tsx'
import { MenuButton } from '../../ui/overlays/menu-button.tsx'
import { PickerButton } from '../../ui/overlays/picker-button.tsx'
import { openRangeDialog } from './range-dialog.tsx'
import {
  countRangeDays,
  parseIdList,
  parseTimeGrouping,
  RANGE_WEEKS,
  REPORT_PERIODS,
  type ReportDateRange,
  type ReportSearchParams,
  type ReportTab,
  TIME_GROUPINGS,
} from './report-search-params.ts'

interface ReportFiltersProps {
  tab: ReportTab
  address: ReportSearchParams
  days: ReportDateRange
  /** The project, if exactly one is selected; only then tags can be filtered. */
  project: { id: string } | undefined
  /** Whether these are the reports of one project, so that projects cannot be filtered. */
  isOfProject: boolean
  updateSearch: (change: ReportSearchParams) => void
}

/** Selects the days, projects, people and tags of the reports. */
export function ReportFilters({
  tab,
  address,
  days,
  project,
  isOfProject,
  updateSearch,
}: ReportFiltersProps) {
  const { projects, members, session } = useBoot('projects', 'members', 'session')
  const tags = useTags(project?.id)
  const [selectedPeople, selectedProjects, selectedTags] = [
    address.who,
    address.project,
    address.tag,
  ].map(parseIdList)
  const range = describeRange(days)
  const { id: groupingId } = parseTimeGrouping(address.by)
  const grouping = reportMessages.groupings[groupingId]
  const joinIds = (ids: string[]) => (ids.length > 0 ? ids.join(',') : undefined)
  const people = members.map(({ id, name }) => ({
    id,
    label: name,
    mark: <Avatar name={name} me={id === session.user.id} />,
  }))
  return (
    <div className="acts end">
      <MenuButton
        kind="plain"
        label={`${reportMessages.range} ${range}`}
        items={[
          ...REPORT_PERIODS.map((period) => ({
            id: period,
            label: reportMessages.periods[period],
            checked: period === days.period,
            run: () => updateSearch({ ...NO_RANGE, period }),
          })),
          ...RANGE_WEEKS.map((weeks) => ({
            id: String(weeks),
            label: reportMessages.weeks(weeks),
            checked: weeks === days.weeks,
            run: () => updateSearch({ ...NO_RANGE, weeks }),
          })),
          {
            id: 'days',
            label: reportMessages.otherDays,
            checked: days.weeks === undefined && days.period === undefined,
            run: () => openRangeDialog(days, updateSearch),
          },
        ]}
      >
        <span className="quiet">{reportMessages.range}</span> {range}
      </MenuButton>
      {tab === 'time' && (
        <MenuButton
          kind="plain"
          label={`${reportMessages.by} ${grouping}`}
          items={TIME_GROUPINGS.map(({ id }) => ({
            id,
            label: reportMessages.groupings[id],
            checked: id === groupingId,
            run: () => updateSearch({ by: id }),
          }))}
        >
          <span className="quiet">{reportMessages.by}</span> {grouping}
        </MenuButton>
      )}
      {!isOfProject && (
        <FilterPicker
          label={reportMessages.project}
          none={reportMessages.all}
          options={projects.map(({ prefix, name }) => ({ id: prefix, label: name, hint: prefix }))}
          picked={selectedProjects ?? []}
          onPick={(ids) => updateSearch({ project: joinIds(ids), tag: undefined })}
        />
      )}
      <FilterPicker
        label={reportMessages.people}
        none={reportMessages.everyone}
        options={people}
        picked={selectedPeople ?? []}
        onPick={(ids) => updateSearch({ who: joinIds(ids) })}
      />
      {project && (
        <FilterPicker
          label={reportMessages.tag}
          none={reportMessages.any}
          options={tags.map(({ id, name }) => ({ id, label: name }))}
          picked={selectedTags ?? []}
          onPick={(ids) => updateSearch({ tag: joinIds(ids) })}
        />
      )}
    </div>
  )
}

const NO_RANGE = { weeks: undefined, period: undefined, after: undefined, before: undefined }

function describeRange(days: ReportDateRange): string {
  if (days.weeks !== undefined) return reportMessages.weeks(days.weeks)
  return days.period
    ? reportMessages.periods[days.period]
    : reportMessages.days(countRangeDays(days))
}

interface FilterPickerProps {
  label: string
  /** The value shown while nothing is picked. */
  none: string
  options: Parameters<typeof PickerButton>[0]['pick']['options']
  picked: string[]
  onPick: (ids: string[]) => void
}

function FilterPicker({ label, none, options, picked, onPick }: FilterPickerProps) {
  const firstPicked = options.find(({ id }) => id === picked[0])
  const value =
    picked.length === 0
      ? none
      : picked.length === 1 && firstPicked
        ? firstPicked.label
        : reportMessages.several(picked.length)
  return (
    <PickerButton
      kind="plain"
      label={`${label} ${value}`}
      pick={{ options, picked, onPick, several: true }}
    >
      {picked.length > 0 && <span className="quiet">{label}</span>} {value}
    </PickerButton>
  )
}
