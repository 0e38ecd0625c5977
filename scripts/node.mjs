// Runs atomic from source under Node: `node scripts/node.mjs read README.md`. Plain JavaScript, because a Node that cannot
// strip types stops at the first of them, before any code of ours could say what is needed.

const needed = [22, 18];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > needed[0] || (major === needed[0] && minor >= needed[1])) {
  await import("../cmd/main.ts");
} else {
  console.error(
    `atomic runs from source under Node ${needed.join(".")} or later, and this is Node ${process.versions.node}. Install a later one, or use the executable.`,
  );
  process.exitCode = 7;
}
