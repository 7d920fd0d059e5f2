import { useEffect, useRef, useState } from 'react'
import type { Attachment } from '../../../data/resources/attachments.ts'
import { detectPictureType } from '../../../lib/browser/picture.ts'
import { getPageSessionHeaders } from '../../../lib/http/page-session.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'

/** Larger pictures get no preview; they can still be downloaded. */
const MAX_PREVIEW_BYTES = 10 * 1024 * 1024

/** A preview of an attachment with one of the four image types; a click enlarges it. */
export function AttachmentPreview({ attachment }: { attachment: Attachment }) {
  const { filename } = attachment
  const [container, isSeen] = useSeen()
  const url = usePicture(attachment, isSeen)
  return (
    <div ref={container} className="picture">
      {url && (
        <button
          type="button"
          aria-label={taskDetailMessages.preview(filename)}
          onClick={() =>
            openDialog({
              title: filename,
              wide: true,
              body: () => <img className="large" src={url} alt={filename} />,
            })
          }
        >
          <img src={url} alt="" />
        </button>
      )}
    </div>
  )
}

/** Returns a ref and whether its element has been near the viewport. */
function useSeen() {
  const container = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (!container.current || isSeen) return
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && setIsSeen(true),
      {
        rootMargin: '200px',
      },
    )
    observer.observe(container.current)
    return () => observer.disconnect()
  }, [isSeen])
  return [container, isSeen] as const
}

/** Returns an object URL of the picture; undefined while loading and for other files. */
function usePicture({ id, size_bytes }: Attachment, isWanted: boolean): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!isWanted || size_bytes > MAX_PREVIEW_BYTES) return
    const controller = new AbortController()
    let objectUrl: string | undefined
    readPicture(id, controller.signal)
      .then((blob) => {
        if (!blob || controller.signal.aborted) return
        objectUrl = URL.createObjectURL(blob)
        setUrl(objectUrl)
      })
      // Without a preview the file can still be downloaded.
      .catch(() => undefined)
    return () => {
      controller.abort()
      if (objectUrl) URL.revokeObjectURL(objectUrl)
    }
  }, [id, size_bytes, isWanted])
  return url
}

async function readPicture(id: string, signal: AbortSignal): Promise<Blob | undefined> {
  const response = await fetch(`/api/v1/attachments/${id}/content`, {
    headers: getPageSessionHeaders(),
    signal,
  })
  if (!response.ok) return
  const bytes = new Uint8Array(await response.arrayBuffer())
  const type = detectPictureType(bytes)
  return type === undefined ? undefined : new Blob([bytes], { type })
}
