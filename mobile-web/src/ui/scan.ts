// The camera, for one code. It is asked for on a tap, read a few times a second by the browser's own detector or, where there is none, by
// a decoder that is loaded then, and it is let go at the first code, on leaving, and when the page is hidden.

interface Detector { detect(source: CanvasImageSource): Promise<{ rawValue: string }[]> }
interface DetectorClass { new (options: { formats: string[] }): Detector; getSupportedFormats(): Promise<string[]> }

const EVERY_MS = 160, SIDE = 720;

/** Asks for the camera. Rejects when there is none or the person says no. */
export const openCamera = (): Promise<MediaStream> =>
  navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } } });

export const closeCamera = (stream: MediaStream): void => stream.getTracks().forEach((track) => track.stop());

type Read = (canvas: HTMLCanvasElement) => Promise<string | undefined>;

async function native(): Promise<Read | undefined> {
  const Found = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  if (Found === undefined || !(await Found.getSupportedFormats()).includes("qr_code")) return undefined;
  const detector = new Found({ formats: ["qr_code"] });
  return async (canvas) => (await detector.detect(canvas))[0]?.rawValue;
}

async function loaded(): Promise<Read> {
  const decode = (await import("qr/decode.js")).default;
  return async (canvas) => {
    const image = canvas.getContext("2d", { willReadFrequently: true })?.getImageData(0, 0, canvas.width, canvas.height);
    try { return image && decode({ width: image.width, height: image.height, data: image.data }); } catch { return undefined; }
  };
}

/** The middle of the picture, as the finder shows it. */
function draw(video: HTMLVideoElement, canvas: HTMLCanvasElement): boolean {
  const side = Math.min(video.videoWidth, video.videoHeight);
  if (side === 0) return false;
  canvas.width = canvas.height = Math.min(side, SIDE);
  canvas.getContext("2d", { willReadFrequently: true })?.drawImage(video, (video.videoWidth - side) / 2, (video.videoHeight - side) / 2, side, side, 0, 0, canvas.width, canvas.height);
  return true;
}

/** Looks for a code in the picture until one is read or `stop` is aborted. The text of the code, or undefined. */
export async function look(video: HTMLVideoElement, stop: AbortSignal): Promise<string | undefined> {
  const read = (await native().catch(() => undefined)) ?? (await loaded()), canvas = document.createElement("canvas");
  while (!stop.aborted) {
    const text = draw(video, canvas) ? await read(canvas).catch(() => undefined) : undefined;
    if (text !== undefined && text !== "" && !stop.aborted) return text;
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
  return undefined;
}
