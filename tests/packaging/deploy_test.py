"""The examples below deploy/ keep what deploy/README.md promises.

deploy_test.py DEPLOY_FOLDER
"""

import pathlib
import sys
import unittest

try:
    import yaml
except ImportError:
    print("SKIPPED: packaging.deploy: python3-yaml is not installed")
    sys.exit(0)

FOLDER = pathlib.Path(sys.argv.pop(1))

GATE = ["trainsight", "validate", "--manifest", "/data/sft_manifest.json",
        "--max-waste-pct", "30"]
RULES = [
    {"action": "FailJob", "onExitCodes": {
        "containerName": "gate", "operator": "In", "values": [1, 2]}},
    {"action": "Count", "onExitCodes": {
        "containerName": "gate", "operator": "In", "values": [3]}},
    {"action": "Ignore", "onPodConditions": [
        {"type": "DisruptionTarget", "status": "True"}]},
]


def documents(name):
    """The documents of one file as {(kind, name): document}."""
    with open(FOLDER / name, encoding="utf-8") as file:
        return {(d["kind"], d["metadata"]["name"]): d
                for d in yaml.safe_load_all(file)}


def pod_spec(document):
    """The Pod's spec in a Pod or a Job."""
    spec = document["spec"]
    return spec["template"]["spec"] if document["kind"] == "Job" else spec


class Deploy(unittest.TestCase):
    def check_gate(self, document):
        pod = pod_spec(document)
        self.assertEqual(pod["restartPolicy"], "Never")
        self.assertEqual([c["name"] for c in pod["initContainers"]], ["gate"])
        gate = pod["initContainers"][0]
        self.assertEqual(gate["command"], GATE)
        self.assertNotIn("args", gate)
        self.assertEqual(
            gate["volumeMounts"],
            [{"name": "data", "mountPath": "/data", "readOnly": True}])
        self.check_locked(pod, gate)

    def check_locked(self, pod, container):
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["runAsUser"], 65532)
        self.assertFalse(pod["automountServiceAccountToken"])
        self.assertEqual(container["securityContext"], {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]}})
        for kind in ("requests", "limits"):
            self.assertEqual(set(container["resources"][kind]),
                             {"cpu", "memory"})

    def check_policy(self, job):
        self.assertEqual(job["spec"]["podFailurePolicy"]["rules"], RULES)
        self.assertTrue(1 <= job["spec"]["backoffLimit"] <= 3)

    def test_the_pod_starts_its_trainer_behind_the_gate(self):
        found = documents("pod-gate.yaml")
        self.assertEqual(list(found), [("Pod", "sft-train")])
        self.check_gate(found["Pod", "sft-train"])

    def test_the_job_fails_on_a_verdict_and_retries_a_failed_check(self):
        found = documents("job-gate.yaml")
        self.assertEqual(list(found), [("Job", "sft-train")])
        self.check_gate(found["Job", "sft-train"])
        self.check_policy(found["Job", "sft-train"])

    def test_the_gate_resumes_exactly_the_suspended_job(self):
        found = documents("suspended-job-gate.yaml")
        self.assertEqual(set(found), {
            ("ServiceAccount", "sft-gate"), ("Role", "sft-gate"),
            ("RoleBinding", "sft-gate"), ("Job", "sft-train"),
            ("Job", "sft-gate")})
        training, gate = found["Job", "sft-train"], found["Job", "sft-gate"]
        self.assertIs(training["spec"]["suspend"], True)
        self.check_gate(gate)
        self.check_policy(gate)

        pod = pod_spec(gate)
        self.assertEqual(pod["serviceAccountName"], "sft-gate")
        self.assertEqual([c["name"] for c in pod["containers"]], ["resume"])
        resume = pod["containers"][0]
        self.check_locked(pod, resume)
        self.assertEqual(resume["command"], [
            "kubectl", "patch", "job", "sft-train", "--cache-dir=/tmp/kube",
            "--type=merge", "--patch", '{"spec":{"suspend":false}}'])
        for container in pod["initContainers"] + pod["containers"]:
            self.assertNotIn("nvidia.com/gpu",
                             container["resources"]["limits"])

    def test_the_service_account_may_touch_one_job_only(self):
        found = documents("suspended-job-gate.yaml")
        self.assertEqual(found["Role", "sft-gate"]["rules"], [{
            "apiGroups": ["batch"], "resources": ["jobs"],
            "resourceNames": ["sft-train"], "verbs": ["get", "patch"]}])
        binding = found["RoleBinding", "sft-gate"]
        self.assertEqual(binding["roleRef"], {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
            "name": "sft-gate"})
        self.assertEqual(binding["subjects"], [
            {"kind": "ServiceAccount", "name": "sft-gate"}])

    def test_every_volume_that_is_mounted_exists(self):
        for path in sorted(FOLDER.glob("*.yaml")):
            for (kind, _), document in documents(path.name).items():
                if kind not in ("Pod", "Job"):
                    continue
                pod = pod_spec(document)
                volumes = {v["name"] for v in pod["volumes"]}
                for container in (pod.get("initContainers", []) +
                                  pod["containers"]):
                    for mount in container["volumeMounts"]:
                        self.assertIn(mount["name"], volumes, path.name)


if __name__ == "__main__":
    unittest.main()
