// Apps that allocate GPU memory: on a real card through the driver of NVIDIA, without any package, and on a machine
// without a card as far as the stand-in for `nvidia-smi` knows.

const app = (allocate: string): string => `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'

${allocate}

export class App {
  async run({ bytes, holdMs = 0, forever = false }) {
    await allocate(bytes)
    if (forever) await new Promise(() => setInterval(() => {}, 1000))
    await new Promise((resolve) => setTimeout(resolve, holdMs))
    return { pid: process.pid }
  }
}
`

/** A child process, because Node.js cannot call the driver by itself. It frees what it allocated before. */
const driver = `
import ctypes, sys
cuda = None
for name in ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"):
    try:
        cuda = ctypes.CDLL(name)
        break
    except OSError:
        pass
def check(name, code):
    if code != 0:
        print(f"{name} failed with {code}", flush=True)
        sys.exit(1)
if cuda is None:
    print("libcuda.so.1 was not found", flush=True)
    sys.exit(1)
device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
check("cuInit", cuda.cuInit(0))
check("cuDeviceGet", cuda.cuDeviceGet(ctypes.byref(device), 0))
check("cuCtxCreate", cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
for line in sys.stdin:
    if pointer.value:
        check("cuMemFree", cuda.cuMemFree_v2(pointer))
    check("cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(int(line))))
    check("cuMemsetD8", cuda.cuMemsetD8_v2(pointer, ctypes.c_ubyte(1), ctypes.c_size_t(int(line))))
    check("cuCtxSynchronize", cuda.cuCtxSynchronize())
    print("ok", flush=True)
`

export const realApp = app(`let child
const allocate = async (bytes) => {
  child ??= spawn('python3', ['-I', '-c', ${JSON.stringify(driver)}], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(String(bytes) + '\\n')
  const [answer] = await once(child.stdout, 'data')
  if (String(answer).trim() !== 'ok') throw new Error(String(answer).trim())
}`)

export const standInApp = (folder: string, gpuId: string): string =>
  app(`const allocate = async (bytes) =>
  writeFileSync(${JSON.stringify(folder)} + '/' + process.pid, process.pid + ' ${gpuId} ' + Math.round(bytes / 2 ** 20))`)
