// The entry of a second thread. It joins the thread to the scanning code and does nothing else.

import { onThreadMessage, threadPorts } from "../adapters/bun/thread.ts";
import { convertFile } from "../core/resources/convert.ts";
import { scanThread } from "../core/scan/scan-thread.ts";

onThreadMessage(scanThread(threadPorts(), convertFile));
