import { showToast } from '../../../data/app/toasts.ts'
import {
  changeSavedView,
  createSavedView,
  deleteSavedViewWithUndo,
  pinSavedViews,
  type SavedView,
} from '../../../data/resources/saved-views.ts'
import { bootState } from '../../../data/session/boot.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../../ui/form/use-request-keys.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { toSavedViewFields } from './saved-view-fields.ts'
import { getShareBlockReason } from './saved-view-permissions.ts'

const MAX_NAME_LENGTH = 60

/** Opens a dialog that saves the shown view under a name. */
export function openSaveViewDialog(
  context: ProjectPageContext,
  view: ProjectView,
  onCreated: (view: SavedView) => void,
): void {
  openDialog({
    title: viewMessages.saveTitle,
    body: (close) => <SaveViewForm {...{ context, view, onCreated, close }} />,
  })
}

interface SaveViewFormProps {
  context: ProjectPageContext
  view: ProjectView
  onCreated: (view: SavedView) => void
  close: () => void
}

function SaveViewForm({ context, view, onCreated, close }: SaveViewFormProps) {
  const { project } = context
  const ofProject = project !== undefined
  const shareBlockReason = getShareBlockReason(context)
  const keyOf = useRequestKeys()
  const save = async ({ name = '' }: Record<string, string>, data: FormData) => {
    const body = {
      project_id: project?.id ?? null,
      name,
      ...toSavedViewFields(view),
      is_shared: data.has('shared'),
    }
    const created = await createSavedView(body, keyOf(body))
    close()
    onCreated(created)
    const text = viewMessages.saved(name)
    if (data.has('pinned')) pinSavedViews([...(bootState.get()?.views ?? []), created], text)
    else showToast({ text, undo: () => deleteSavedViewWithUndo(created) })
  }
  return (
    <Form guard="typed" label={viewMessages.saveTitle} onSubmit={save}>
      <TextField label={viewMessages.name} name="name" maxLength={MAX_NAME_LENGTH} required />
      <FormLine>
        <CheckField
          name="shared"
          disabled={shareBlockReason !== undefined}
          hint={shareBlockReason ?? viewMessages.shareHint(ofProject)}
        >
          {viewMessages.share(ofProject)}
        </CheckField>
        <CheckField name="pinned">{viewMessages.pin}</CheckField>
      </FormLine>
      <FormActions onCancel={close}>
        <SubmitButton>{viewMessages.save}</SubmitButton>
      </FormActions>
    </Form>
  )
}

/** Opens a dialog that renames a view. */
export function openRenameViewDialog(view: SavedView): void {
  openDialog({
    title: viewMessages.renameTitle(view.name),
    body: (close) => (
      <Form
        label={viewMessages.renameTitle(view.name)}
        onSubmit={async ({ name = '' }) => {
          close()
          if (name.trim() !== '' && name !== view.name) {
            changeSavedView(view, { name: name.trim() }, viewMessages.renamed(name.trim()))
          }
        }}
      >
        <TextField
          label={viewMessages.name}
          name="name"
          defaultValue={view.name}
          maxLength={MAX_NAME_LENGTH}
        />
        <FormActions onCancel={close}>
          <SubmitButton>{viewMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    ),
  })
}
